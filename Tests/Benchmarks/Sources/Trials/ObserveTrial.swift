import Foundation
import Measuring
import SyncStack
import TestPayloads

/// One import, with no observers or with all of them, for a counter of instructions to look at: the
/// difference is the cost of observing.
///
/// ```
/// valgrind --tool=callgrind Trials observe 10000 none
/// valgrind --tool=callgrind Trials observe 10000 all
/// valgrind --tool=callgrind Trials observe 10000 none 10      and ten syncs after it that change nothing
/// ```
struct ObserveTrial {
  let users: Int
  var furtherSyncs = 0

  /// - Parameter followers: `none`; `progress`, which looks at the sequence of updates and at the
  ///   progress; `all`, which hears of notifications and commits too.
  func run(_ followers: String) throws {
    let folder = try TrialFolder()
    let stack = try DataStack(
      model: try TrialModel.users(), store: .sqlite(folder.file("store.sqlite")))
    let payload = Data(UserPayload(count: users).json())
    let sync = Sync(.data(payload), inEntityNamed: "User", dataStack: stack)
    var observations: [any NSObjectProtocol] = []
    if followers != "none" {
      let updates = sync.progressUpdates
      Task.detached { for await update in updates { keep(update) } }
      keep(sync.progress)
    }
    if followers == "all" {
      let names: [Notification.Name] = [
        .syncDidStart, .syncDidBeginPhase, .syncDidProgress, .syncDidFinish, .dataStackDidChange,
      ]
      observations = names.map { name in
        NotificationCenter.default.addObserver(forName: name, object: stack, queue: nil) { note in
          keep(note.changeSet.counts)
        }
      }
    }
    stack.syncQueue.addOperations([sync], waitUntilFinished: true)
    for _ in 0..<furtherSyncs {
      let next = Sync(.data(payload), inEntityNamed: "User", dataStack: stack)
      stack.syncQueue.addOperations([next], waitUntilFinished: true)
      guard try next.result?.get().isUnchanged == true else { throw MeasuringError("It changed.") }
    }
    stack.drainNotifications()
    say("\(try sync.result?.get().inserted ?? 0) inserted, followed by \(followers)")
    for observation in observations { NotificationCenter.default.removeObserver(observation) }
    try stack.close()
  }
}

/// Has a value looked at by code that the compiler cannot see into.
@inline(never)
private func keep(_ value: some Any) {}
