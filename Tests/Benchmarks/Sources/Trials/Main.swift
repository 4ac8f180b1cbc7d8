import Foundation
import Measuring
import Subject
import SyncStack
import TestPayloads

/// ```
/// Trials cancel [OBJECTS] [ROUNDS] [CASE] [PHASE]
///                                            time from cancel() to the end of the operation, by phase
///        the cases streamed, streamed-unchanged and streamed-churned only by name, from 350,000 users on
/// Trials observe [USERS] [none|progress|all] [SYNCS]
///                                            one import, and more after it, to count the instructions of
/// Trials insert  [USERS] [plain|bare|only|always|batches]
///                                            one import into an empty store
/// Trials history [OBJECTS] [ROUNDS]          commits of one object in a hundred, with former values
///                                            and without
/// Trials durability [ROUNDS]                 commits that wait for the disk, and others
/// Trials import  [ITEMS] [session|1|2|…]     memory of an import that asks for so many pages of so
///                                            many items at a time, or of a session of the same pages
/// Trials repeat [USERS] [PAGES]              what says the same again, whole, in lists, batches, pages
/// Trials make   USERS FOLDER                 payloads larger than should be in memory
/// Trials floor  USERS FOLDER                 the floor imports the first of them
/// Trials stream USERS FOLDER [VARIANT] [SOURCE]
///                                            time and memory of importing one, from a file or a pipe
/// ```
@main
struct Main {
  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws {
    let numbers = arguments.dropFirst().map { Int($0) }
    func number(_ index: Int, _ fallback: Int) -> Int {
      index < numbers.count ? numbers[index] ?? fallback : fallback
    }
    switch arguments.first {
    case "cancel":
      try CancelTrial(users: number(0, 100_000), rounds: number(1, 8))
        .run(
          arguments.count > 3 ? arguments[3] : nil,
          in: arguments.count > 4 ? SyncPhase(rawValue: arguments[4]) : nil)
    case "observe":
      try ObserveTrial(users: number(0, 10_000), furtherSyncs: number(2, 0))
        .run(arguments.count > 2 ? arguments[2] : "none")
    case "insert":
      try InsertTrial(users: number(0, 10_000)).run(arguments.count > 2 ? arguments[2] : "plain")
    case "history":
      try HistoryTrial(objects: number(0, 10_000), rounds: number(1, 60)).run()
    case "durability": try DurabilityTrial(rounds: number(0, 200)).run()
    case "import":
      let fetches = arguments.count > 2 ? Int(arguments[2]) : nil
      try ImportTrial(items: number(0, 100_000)).run(fetches: fetches)
    case "repeat": try RepeatTrial(users: number(0, 100_000), count: number(1, 100)).run()
    case "make" where arguments.count > 2:
      try stream(arguments).make()
    case "floor" where arguments.count > 2:
      try stream(arguments).floor()
    case "stream" where arguments.count > 2:
      let variant = arguments.count > 3 ? arguments[3] : "base"
      try stream(arguments).run(
        UserPayload.Variant(rawValue: variant) ?? .base,
        from: arguments.count > 4 ? arguments[4] : "file")
    default:
      throw MeasuringError(
        """
        usage: Trials cancel [OBJECTS] [ROUNDS] [CASE] [PHASE]
               Trials observe [USERS] [none|progress|all] [SYNCS]
               Trials insert [USERS] [plain|bare|only|always|batches]
               Trials history [OBJECTS] [ROUNDS]
               Trials durability [ROUNDS]
               Trials import [ITEMS] [session|1|2|…]
               Trials make|floor USERS FOLDER
               Trials stream USERS FOLDER [base|churned] [file|pipe]
        """)
    }
  }

  private static func stream(_ arguments: [String]) -> StreamTrial {
    StreamTrial(users: Int(arguments[1]) ?? 1_000_000, folder: URL(filePath: arguments[2]))
  }
}

/// The models of the payloads, and folders for stores of it.
enum TrialModel {
  static func users() throws -> ManagedObjectModel { try Models.of(.users) }

  /// Users, and documents with their tags and people.
  static func everything() throws -> ManagedObjectModel { try Models.of(.users, .documents) }
}

/// A folder for one trial, removed afterwards.
final class TrialFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "trials-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name) }
}
