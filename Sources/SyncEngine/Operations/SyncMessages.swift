public import Foundation
public import SyncGraph

// Typed messages of the notification center, where the system has them: the typed forms of the
// notifications of syncs. The subject is the stack.

/// A message about one sync.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
public protocol SyncMessage: NotificationCenter.AsyncMessage where Subject == DataStack {
  /// The operation that it is about.
  var sync: Sync { get }

  /// The message that a notification of the same name stands for; nil when it is not one of ours.
  static func makeMessage(_ notification: Notification) -> Self?
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension Sync {
  /// A sync begins to run.
  public struct StartMessage: SyncMessage {
    public typealias Subject = DataStack
    public let sync: Sync

    public static var name: Notification.Name { .syncDidStart }

    public static func makeMessage(_ notification: Notification) -> StartMessage? {
      notification.sync.map(StartMessage.init)
    }
  }

  /// A phase begins.
  public struct PhaseMessage: SyncMessage {
    public typealias Subject = DataStack
    public let sync: Sync
    public let phase: SyncPhase

    public static var name: Notification.Name { .syncDidBeginPhase }

    public static func makeMessage(_ notification: Notification) -> PhaseMessage? {
      guard let sync = notification.sync, let phase = notification.syncPhase else { return nil }
      return PhaseMessage(sync: sync, phase: phase)
    }
  }

  /// A phase got further; at most ten a second.
  public struct ProgressMessage: SyncMessage {
    public typealias Subject = DataStack
    public let sync: Sync
    public let phase: SyncPhase

    /// Share of the whole sync that is done, from 0 to 1.
    public let fraction: Double

    public static var name: Notification.Name { .syncDidProgress }

    public static func makeMessage(_ notification: Notification) -> ProgressMessage? {
      guard let sync = notification.sync, let phase = notification.syncPhase,
        let fraction = notification.syncFraction
      else { return nil }
      return ProgressMessage(sync: sync, phase: phase, fraction: fraction)
    }
  }

  /// A sync has stored its changes.
  public struct FinishMessage: SyncMessage {
    public typealias Subject = DataStack
    public let sync: Sync
    public let report: SyncReport

    public static var name: Notification.Name { .syncDidFinish }

    public static func makeMessage(_ notification: Notification) -> FinishMessage? {
      guard let sync = notification.sync, let report = notification.syncReport else { return nil }
      return FinishMessage(sync: sync, report: report)
    }
  }

  /// A sync was cancelled; nothing was stored.
  public struct CancelMessage: SyncMessage {
    public typealias Subject = DataStack
    public let sync: Sync

    public static var name: Notification.Name { .syncDidCancel }

    public static func makeMessage(_ notification: Notification) -> CancelMessage? {
      notification.sync.map(CancelMessage.init)
    }
  }

  /// A sync has failed; nothing was stored.
  public struct FailMessage: SyncMessage {
    public typealias Subject = DataStack
    public let sync: Sync
    public let error: any Error

    public static var name: Notification.Name { .syncDidFail }

    public static func makeMessage(_ notification: Notification) -> FailMessage? {
      guard let sync = notification.sync, let error = notification.syncError else { return nil }
      return FailMessage(sync: sync, error: error)
    }
  }

  /// Posts the typed form of a notification where the center does not do that itself.
  static func postMessage(for news: SyncNews, of stack: DataStack) {
    func post(_ message: some SyncMessage) {
      NotificationCenter.default.postBeside(message, subject: stack)
    }
    let sync = news.sync
    switch news.event {
    case .start: post(StartMessage(sync: sync))
    case .phase(let phase): post(PhaseMessage(sync: sync, phase: phase))
    case .progress(let phase, let fraction):
      post(ProgressMessage(sync: sync, phase: phase, fraction: fraction))
    case .finish(let report): post(FinishMessage(sync: sync, report: report))
    case .cancel: post(CancelMessage(sync: sync))
    case .failure(let error): post(FailMessage(sync: sync, error: error))
    }
  }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<Sync.StartMessage> {
  /// A sync begins to run.
  public static var syncDidStart: Self { .init() }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<Sync.PhaseMessage> {
  /// A phase begins.
  public static var syncDidBeginPhase: Self { .init() }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<Sync.ProgressMessage> {
  /// A phase got further.
  public static var syncDidProgress: Self { .init() }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<Sync.FinishMessage> {
  /// A sync has stored its changes.
  public static var syncDidFinish: Self { .init() }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<Sync.CancelMessage> {
  /// A sync was cancelled.
  public static var syncDidCancel: Self { .init() }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<Sync.FailMessage> {
  /// A sync has failed.
  public static var syncDidFail: Self { .init() }
}
