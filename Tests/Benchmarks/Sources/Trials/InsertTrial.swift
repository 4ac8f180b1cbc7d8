import Foundation
import Measuring
import SyncStack
import TestPayloads

/// One import into an empty store, in one of the ways that only insert or as any other, for a clock
/// or a counter of instructions.
///
/// ```
/// valgrind --tool=callgrind Trials insert 10000 plain
/// valgrind --tool=callgrind Trials insert 10000 only
/// ```
struct InsertTrial {
  let users: Int

  /// - Parameter way: `plain` is a sync as without settings, `bare` one that leaves no
  ///   fingerprints, `only` one that only inserts, `always` one that asks for no keys, `batches`
  ///   one that commits each 1,000 users.
  func run(_ way: String) throws {
    let folder = try TrialFolder()
    let stack = try DataStack(
      model: try TrialModel.users(), store: .sqlite(folder.file("store.sqlite")))
    let payload = Data(UserPayload(count: users).json())
    let sync = Sync(.data(payload), inEntityNamed: "User", dataStack: stack)
    switch way {
    case "plain": break
    case "bare": sync.usesFingerprints = false
    case "only": sync.operations = [.insert, .insertRelationships]
    case "always": sync.operations = [.alwaysInsert, .insertRelationships]
    case "batches": sync.transaction = .perBatch(1_000)
    default: throw MeasuringError("There is no way \(way): plain, bare, only, always or batches.")
    }
    let (start, startOfWork) = (ContinuousClock.now, clock())
    stack.syncQueue.addOperations([sync], waitUntilFinished: true)
    let seconds = start.duration(to: .now) / .seconds(1)
    let work = Double(clock() - startOfWork) / Double(CLOCKS_PER_SEC)
    let inserted = try sync.result?.get().inserted ?? 0
    guard inserted == users * 4 else { throw MeasuringError("\(inserted) inserted.") }
    say(String(format: "%@: %.3f s, %.3f s of the processor", way, seconds, work))
    try stack.close()
  }
}
