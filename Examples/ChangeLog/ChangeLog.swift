import Foundation
import SyncStack

/// Prints every object that is inserted, updated and deleted while two snapshots of the world's
/// countries and their subdivisions, eight years apart, are synced one after the other.
///
///     swift run ChangeLog                    in memory
///     swift run ChangeLog countries.sqlite   into a file; run it again, and nothing changes
@main
struct ChangeLog {
  static let data = URL(filePath: #filePath).appending(path: "../../Data").standardizedFileURL

  static func main() async throws {
    let model = try ManagedObjectModel(contentsOf: data.appending(path: "Countries.xcdatamodeld"))
    let file = CommandLine.arguments.dropFirst().first.map { URL(filePath: $0) }
    let stack = try DataStack(model: model, store: file.map { .sqlite($0) } ?? .inMemory)

    // Called after each commit, in order, on a queue that no sync ever waits for.
    let observation = NotificationCenter.default.addObserver(
      forName: .dataStackDidChange, object: stack, queue: nil
    ) { notification in
      for change in notification.changeSet.loggedChanges { print(change) }
    }
    defer { NotificationCenter.default.removeObserver(observation) }

    // A store that is filled already is brought up to date with the newest snapshot only.
    let isEmpty = try stack.mainContext.count(Fetch(entityNamed: "Country")) == 0
    for year in isEmpty ? [2016, 2024] : [2024] {
      let report = try await stack.sync(
        data.appending(path: "countries-\(year).json"), inEntityNamed: "Country", at: "countries")
      await stack.drainNotifications()
      print("\(year):", report.isUnchanged ? "nothing changed" : "synced")
      print(report)
    }
  }
}
