public import Foundation
import SyncGraph

/// The notifications of an engine. The object of each is the ``DataStack``; they are posted one
/// after the other on the stack's delivery queue, behind those of the commits that they are about,
/// so that an observer never holds a pull or push up. Each carries
/// ``Foundation/Notification/cloudZone``: two engines of one stack tell theirs apart.
extension Notification.Name {
  /// A pull or push begins. Carries ``Foundation/Notification/cloudDirection``, as the next two do.
  public static let cloudDidStart = Notification.Name("SyncStackCloudDidStart")
  /// A pull or push went through. Carries ``Foundation/Notification/pullReport`` or
  /// ``Foundation/Notification/pushReport``.
  public static let cloudDidFinish = Notification.Name("SyncStackCloudDidFinish")
  /// A pull or push has failed, or was cancelled. Carries ``Foundation/Notification/cloudError``.
  public static let cloudDidFail = Notification.Name("SyncStackCloudDidFail")
  /// ``CloudEngine/status`` may have changed.
  public static let cloudStatusDidChange = Notification.Name("SyncStackCloudStatusDidChange")
}

/// The direction in which an engine works.
public enum CloudDirection: String, Sendable, Hashable, CaseIterable {
  /// The engine fetches changes of others.
  case pull
  /// The engine sends edits made here.
  case push
}

extension Notification {
  /// Whether it is about a pull or a push; nil for notifications that are about neither.
  public var cloudDirection: CloudDirection? {
    userInfo?[CloudAnnouncer.directionKey] as? CloudDirection
  }

  /// The zone of the engine, with its scope. A pull or push is about those that are shared, too:
  /// the reports name those in which there was something.
  public var cloudZone: CloudZone? { userInfo?[CloudAnnouncer.zoneKey] as? CloudZone }

  /// The report of a pull, in `cloudDidFinish`.
  public var pullReport: PullReport? {
    if case .pull(let report)? = cloudOutcome { report } else { nil }
  }

  /// The report of a push, in `cloudDidFinish`.
  public var pushReport: PushReport? {
    if case .push(let report)? = cloudOutcome { report } else { nil }
  }

  /// Why a pull or push has failed, in `cloudDidFail`: mostly a ``CloudError``.
  public var cloudError: (any Error)? {
    if case .failure(let error)? = cloudOutcome { error } else { nil }
  }

  private var cloudOutcome: CloudOutcome? { userInfo?[CloudAnnouncer.key] as? CloudOutcome }
}

/// How a pull or push ended.
enum CloudOutcome: Sendable {
  case pull(PullReport)
  case push(PushReport)
  case failure(any Error)
}

/// Posts the notifications of an engine.
struct CloudAnnouncer: Sendable {
  fileprivate static let key = "outcome"
  fileprivate static let directionKey = "direction"
  fileprivate static let zoneKey = "zone"
  let stack: DataStack
  let zone: CloudZone

  func post(
    _ name: Notification.Name, _ direction: CloudDirection? = nil, _ outcome: CloudOutcome? = nil
  ) {
    stack.delivery.post { [stack, zone] in
      var information: [AnyHashable: Any] = [CloudAnnouncer.zoneKey: zone]
      information[CloudAnnouncer.key] = outcome
      information[CloudAnnouncer.directionKey] = direction
      NotificationCenter.default.post(name: name, object: stack, userInfo: information)
    }
  }
}

extension CloudEngine {
  /// Runs a pull or push that says when it begins and how it ends.
  func running<T>(
    _ direction: CloudDirection, _ body: () async throws -> (T, CloudOutcome)
  ) async throws -> T {
    announcer.post(.cloudDidStart, direction)
    monitor.began()
    do {
      let (report, outcome) = try await body()
      monitor.ended(outcome)
      tellChanges()
      announcer.post(.cloudDidFinish, direction, outcome)
      return report
    } catch {
      disconnect()
      monitor.ended(.failure(error))
      tellChanges()
      tell(error, in: direction)
      announcer.post(.cloudDidFail, direction, .failure(error))
      throw error
    }
  }
}
