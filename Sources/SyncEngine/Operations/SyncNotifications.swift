public import Foundation
import SyncCore
import SyncGraph

/// The notifications of a stack's syncs. The object of each notification is the ``DataStack``; the
/// typed accessors of `Notification` give the rest. They are posted one after the other on the
/// stack's delivery queue, so an observer never holds a sync up.
extension Notification.Name {
  /// A sync begins to run. Carries ``Foundation/Notification/sync``.
  public static let syncDidStart = Notification.Name("SyncDidStart")
  /// A phase begins. Carries ``Foundation/Notification/syncPhase``.
  public static let syncDidBeginPhase = Notification.Name("SyncDidBeginPhase")
  /// A phase got further; at most ten a second.
  public static let syncDidProgress = Notification.Name("SyncDidProgress")
  /// A sync has stored its changes. Carries ``Foundation/Notification/syncReport``.
  public static let syncDidFinish = Notification.Name("SyncDidFinish")
  /// A sync was cancelled; nothing was stored.
  public static let syncDidCancel = Notification.Name("SyncDidCancel")
  /// A sync has failed; nothing was stored. Carries ``Foundation/Notification/syncError``.
  public static let syncDidFail = Notification.Name("SyncDidFail")
}

extension Notification {
  /// The operation that a sync notification is about.
  public var sync: Sync? { announcement?.sync }

  /// The phase that begins or goes on.
  public var syncPhase: SyncPhase? {
    switch announcement?.event {
    case .phase(let phase), .progress(let phase, _): phase
    default: nil
    }
  }

  /// Share of the whole sync that is done, from 0 to 1.
  public var syncFraction: Double? {
    if case .progress(_, let fraction)? = announcement?.event { fraction } else { nil }
  }

  /// The report of the sync.
  public var syncReport: SyncReport? {
    if case .finish(let report)? = announcement?.event { report } else { nil }
  }

  /// Why the sync failed.
  public var syncError: (any Error)? {
    if case .failure(let error)? = announcement?.event { error } else { nil }
  }

  private var announcement: SyncAnnouncement? {
    userInfo?[SyncAnnouncement.key] as? SyncAnnouncement
  }
}

/// The content of one notification of a sync. Its readers take it apart, so that one without
/// readers is no more than this.
final class SyncAnnouncement: Sendable {
  enum Event: Sendable {
    case start
    case phase(SyncPhase)
    case progress(SyncPhase, Double)
    case finish(SyncReport)
    case cancel
    case failure(any Error)

    init(_ step: SyncStep, fraction: @autoclosure () -> Double) {
      self = step.begins ? .phase(step.phase) : .progress(step.phase, fraction())
    }

    init(_ result: Result<SyncReport, any Error>) {
      switch result {
      case .success(let report): self = .finish(report)
      case .failure(is CancellationError): self = .cancel
      case .failure(let error): self = .failure(error)
      }
    }
  }

  /// Under which a notification has it.
  static let key = "announcement"

  let sync: Sync
  let event: Event

  init(_ event: Event, of sync: Sync) {
    self.event = event
    self.sync = sync
  }

  var name: Notification.Name {
    switch event {
    case .start: .syncDidStart
    case .phase: .syncDidBeginPhase
    case .progress: .syncDidProgress
    case .finish: .syncDidFinish
    case .cancel: .syncDidCancel
    case .failure: .syncDidFail
    }
  }
}

extension Sync {
  /// Posts one of its notifications.
  func announce(_ event: SyncAnnouncement.Event) {
    let announcement = SyncAnnouncement(event, of: self)
    dataStack.delivery.post { [dataStack] in
      NotificationCenter.default.post(
        name: announcement.name, object: dataStack,
        userInfo: StackNotifications.userInfo(SyncAnnouncement.key, announcement))
    }
  }
}
