import Foundation
import SyncCore
import SyncGraph
package import SyncStore

extension CloudEngine {
  /// How far the engine has come. Reads the store, so it may throw what that throws.
  public var status: CloudStatus {
    get throws {
      var status = try stack.store.read { [zone] in try Self.status(in: $0, of: zone.name) }
      monitor.fill(&status)
      return status
    }
  }

  /// What the store keeps of the status, without an engine, which would write. Needs the tables of remote sync.
  package static func status(in reader: StoreReader, of zone: String) throws -> CloudStatus {
    var status = CloudStatus()
    status.waiting = try reader.countWaitingRemoteRecords(in: zone)
    status.waitingLinks = try reader.countRemoteLinks(in: zone)
    status.conflicts = try reader.countRemoteConflicts(in: zone)
    status.problems = try reader.remoteProblems(in: zone).map {
      CloudProblem(record: $0.name, entity: $0.entity, row: $0.row, reason: $0.problem ?? "")
    }
    let kept = try reader.remoteZone(zone)
    status.lastPull = kept?.lastPull.map(Self.date)
    status.lastPush = kept?.lastPush.map(Self.date)
    return status
  }

  private static func date(_ milliseconds: Int64) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// The status now, and again whenever it may have changed. Ends when the store was closed.
  public var statusUpdates: AsyncStream<CloudStatus> {
    let changes = monitor.changes()
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let task = Task { [weak self] in
        for await _ in changes {
          guard let status = try? self?.status else { break }
          continuation.yield(status)
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
