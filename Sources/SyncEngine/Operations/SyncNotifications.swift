public import Foundation
import SyncCore
import SyncGraph

/// What a stack's syncs announce. The object of each notification is the ``DataStack``; the typed
/// accessors of `Notification` give the rest. They are posted one after the other on the stack's
/// delivery queue, so an observer never holds a sync up.
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
  public var sync: Sync? { userInfo?[SyncAnnouncer.syncKey] as? Sync }

  /// The phase that begins or goes on.
  public var syncPhase: SyncPhase? { userInfo?[SyncAnnouncer.phaseKey] as? SyncPhase }

  /// Share of the whole sync that is done, from 0 to 1.
  public var syncFraction: Double? { userInfo?[SyncAnnouncer.fractionKey] as? Double }

  /// What the sync did.
  public var syncReport: SyncReport? { userInfo?[SyncAnnouncer.reportKey] as? SyncReport }

  /// Why the sync failed.
  public var syncError: (any Error)? { userInfo?[SyncAnnouncer.errorKey] as? any Error }
}

/// Posts what happens to one sync.
///
/// `lastProgress` is protected by its lock; everything else is constant.
final class SyncAnnouncer: Sendable {
  static let syncKey = "sync"
  static let phaseKey = "phase"
  static let fractionKey = "fraction"
  static let reportKey = "report"
  static let errorKey = "error"

  private let stack: DataStack
  private let lastProgress = Locked<ContinuousClock.Instant?>(nil)

  init(stack: DataStack) {
    self.stack = stack
  }

  func begin(_ sync: Sync) {
    post(.syncDidStart, sync)
  }

  /// Follows a step: every phase, and progress at most ten times a second.
  func announce(_ step: SyncStep, of sync: Sync) {
    if step.begins { return post(.syncDidBeginPhase, sync, [SyncAnnouncer.phaseKey: step.phase]) }
    let isDue = lastProgress.withLock { last in
      let now = ContinuousClock.now
      if let last, last.duration(to: now) < .milliseconds(100) { return false }
      last = now
      return true
    }
    guard isDue else { return }
    let fraction = sync.progress.fractionCompleted
    post(
      .syncDidProgress, sync,
      [SyncAnnouncer.phaseKey: step.phase, SyncAnnouncer.fractionKey: fraction])
  }

  func end(_ result: Result<SyncReport, any Error>, of sync: Sync) {
    switch result {
    case .success(let report):
      post(.syncDidFinish, sync, [SyncAnnouncer.reportKey: report])
    case .failure(is CancellationError):
      post(.syncDidCancel, sync)
    case .failure(let error):
      post(.syncDidFail, sync, [SyncAnnouncer.errorKey: error])
    }
  }

  private func post(
    _ name: Notification.Name, _ sync: Sync, _ content: [String: any Sendable] = [:]
  ) {
    stack.delivery.post { [stack] in
      var userInfo: [String: any Sendable] = content
      userInfo[SyncAnnouncer.syncKey] = sync
      let notification = Notification(name: name, object: stack, userInfo: userInfo)
      NotificationCenter.default.post(notification)
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        Sync.postMessage(for: notification, of: stack)
      }
    }
  }
}
