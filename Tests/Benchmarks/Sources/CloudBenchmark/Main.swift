import Foundation
import Measuring
import SyncCloud
import SyncStack

/// ```
/// CloudBenchmark throughput [RECORDS]      records a second of a push and of a first pull, over a transport in memory
/// CloudBenchmark delta [OBJECTS]           a push of ten edits among so many objects, and among a hundredth of them
/// CloudBenchmark pairs [OBJECTS]           a push after one more object was joined to one that has so many
/// CloudBenchmark shapes [OBJECTS]          how other shapes of use grow: many children, keys of text, everything at once
/// CloudBenchmark memory [RECORDS]          the most memory that a first pull of so many has
/// CloudBenchmark kinto URL [RECORDS]       a push and a pull beside plain loops that send and fetch the same bytes
/// CloudBenchmark postgres ADDRESS [RECORDS]    a push and a pull beside plain statements that write and read the same rows
/// ```
@main
struct Main {
  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) async throws {
    func number(_ index: Int, _ fallback: Int) -> Int {
      arguments.count > index ? Int(arguments[index]) ?? fallback : fallback
    }
    switch arguments.first {
    case "throughput": try await Throughput(records: number(1, 100_000)).run()
    case "delta": try await Delta(objects: number(1, 100_000)).run()
    case "pairs": try await Pairs(objects: number(1, 100_000)).run()
    case "shapes": try await Shapes(objects: number(1, 20_000)).run()
    case "memory": try await PeakMemory(records: number(1, 100_000)).run()
    case "kinto" where arguments.count > 1:
      guard let url = URL(string: arguments[1]) else { fallthrough }
      try await KintoTrial(url: url, records: number(2, 10_000)).run()
    case "postgres" where arguments.count > 1:
      try await PostgreSQLTrial(address: arguments[1], records: number(2, 100_000)).run()
    default:
      throw MeasuringError(
        "usage: CloudBenchmark throughput [RECORDS] | delta [OBJECTS] | pairs [OBJECTS] | shapes [OBJECTS] | "
          + "memory [RECORDS] | kinto URL [RECORDS] | postgres ADDRESS [RECORDS]"
      )
    }
  }
}

final class Note: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var title: String?
  @Attribute var text: String?
  @Attribute var stars: Int64 = 0
  @Attribute var createdAt: Date?
  @ToMany(inverse: "notes") var tags: Set<Tag>
}

final class Tag: ManagedObject {
  @PrimaryKey var id: Int64
  @ToMany(inverse: "tags") var notes: Set<Note>
}

/// A machine with a store in a file.
struct Machine {
  let stack: DataStack
  let cloud: CloudEngine

  init(_ folder: URL, _ name: String, _ server: any CloudTransport) throws {
    let file = folder.appending(path: "\(name).sqlite")
    stack = try DataStack(
      model: ManagedObjectModel(Note.self, Tag.self), store: .sqlite(file), tracksChanges: true)
    cloud = try CloudEngine(stack, transport: server)
  }

  /// Fills the store with notes, all in one tag when asked.
  func fill(_ count: Int, isTagged: Bool = false) async throws {
    var json = "["
    for id in 1...count {
      if id > 1 { json += "," }
      json +=
        #"{"id":\#(id),"title":"Note \#(id)","text":"What is written in note \#(id), a line of it","#
      if isTagged { json += #""tags":[{"id":1}],"# }
      json += #""stars":\#(id % 6),"created_at":"2026-11-24T10:00:00Z"}"#
    }
    _ = try await stack.sync(Data((json + "]").utf8), inEntityNamed: "Note")
  }
}

/// Runs a body with a folder of its own.
func withFolder<T>(_ body: (URL) async throws -> T) async throws -> T {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "cloud-benchmark-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// Seconds that a body takes by the clock, and in processor time on all threads.
func measure(_ body: () async throws -> Void) async throws -> (elapsed: Double, processor: Double) {
  let (began, used) = (ContinuousClock.now, ProcessFigures.processorSeconds)
  try await body()
  let elapsed = (ContinuousClock.now - began) / .seconds(1)
  return (elapsed, ProcessFigures.processorSeconds - used)
}

func rounded(_ value: Double, _ digits: Int = 3) -> String {
  String(format: "%.\(digits)f", value)
}
