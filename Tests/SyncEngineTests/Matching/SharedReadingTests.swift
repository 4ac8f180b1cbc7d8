import Foundation
import SyncCore
import SyncEngine
import SyncStore
import TestSupport
import Testing

/// Stored rows and links are read by two threads where there are many, and what comes out is the same.
@Suite(.timeLimit(.minutes(10))) struct SharedReadingTests {
  /// Albums of a payload, whose keys, tracks and tags partly repeat.
  struct Payload {
    var generator: SeededGenerator
    var ids: [Int]
    let isShuffled: Bool
    let repeats: Bool
    let gap: Int

    init(seed: UInt64, count: Int) {
      var generator = SeededGenerator(seed: seed)
      isShuffled = generator.chance(40)
      repeats = generator.chance(50)
      gap = generator.pick([1, 7])
      ids = (0..<count).map { [gap] in $0 * gap }
      self.generator = generator
    }

    /// The same with some albums gone and others new.
    mutating func change() {
      ids = ids.filter { _ in !generator.chance(5) }
      let last = ids.max() ?? 0
      if generator.chance(60) { ids += (1...9).map { last + $0 * gap } }
      if isShuffled { ids.shuffle(using: &generator) }
      if repeats, let first = ids.first { ids.append(first) }
    }

    mutating func json() -> String {
      var albums: [String] = []
      for id in ids {
        let released = generator.chance(2) ? "2023-01-02T03:04:05Z" : "2024-05-\(10 + id % 20)"
        let title = generator.chance(3) ? "new" : "t\(id)"
        let tracks = (0..<2).map { number in
          let key = repeats && generator.chance(2) ? generator.pick(ids) * 2 : id * 2 + number
          return #"{"id": \#(key), "name": "\#(generator.chance(2) ? "new" : "n")"}"#
        }
        let tags = (0..<3).map { "\((id * 7 + $0 * 13) % 40 + (generator.chance(2) ? 1 : 0))" }
        let members =
          repeats && id % 50 == 0
          ? #"[{"id": \#(tags[0]), "name": "x"}]"# : "[\(tags.joined(separator: ","))]"
        albums.append(
          #"{"id": \#(id), "title": "\#(title)", "released": "\#(released)", "tracks": [\#(tracks.joined(separator: ","))], "tags": \#(members)}"#
        )
      }
      return "[\(albums.joined(separator: ","))]"
    }
  }

  private static let tags =
    "[\((0..<45).map { #"{"id": \#($0), "name": "tag"}"# }.joined(separator: ","))]"

  private static func bench(_ file: TemporaryStore) throws -> SyncBench {
    let bench = try SyncBench(store: file.store)
    try bench.sync(tags, "Tag")
    return bench
  }

  @Test("report, changes and store are the same", arguments: UInt64(0)..<4)
  func isTheSame(_ seed: UInt64) throws {
    let model = try ReadingAheadTests.model()
    let files = try (0..<2).map { _ in try TemporaryStore(model, .file) }
    let benches = try files.map(Self.bench)
    var payload = Payload(seed: seed, count: 300)
    let pieces = [3, 8, 20]
    for step in 0..<3 {
      let json = payload.json()
      let size = payload.generator.pick(pieces)
      let inserts = step == 1 && payload.generator.chance(30)
      let outcomes = try zip(benches, [true, false]).map { bench, isShared in
        try ReadingAheadTests.outcome(json, bench) { request in
          request.usesFingerprints = false
          request.readsAhead = isShared
          request.sharedRows = size
          request.deletionGuard = .off
          if inserts { request.operations = [.insert, .alwaysInsert] }
        }
      }
      #expect(outcomes[0] == outcomes[1], "seed \(seed), step \(step)")
      payload.change()
    }
  }

  @Test("no thread of the global queues is needed")
  func globalQueuesMayBeFull() throws {
    try withFullGlobalQueues {
      let file = try TemporaryStore(ReadingAheadTests.model(), .file)
      let bench = try Self.bench(file)
      var payload = Payload(seed: 1, count: 300)
      let json = payload.json()
      for _ in 0..<2 {
        _ = try ReadingAheadTests.sync(json, into: bench) {
          $0.usesFingerprints = false
          $0.sharedRows = 8
        }
      }
      #expect(try bench.count("Album") == 300)
    }
  }

  @Test("cancelled anywhere it leaves every table as it was")
  func cancelled() throws {
    let file = try TemporaryStore(ReadingAheadTests.model(), .file)
    let bench = try Self.bench(file)
    var payload = Payload(seed: 3, count: 300)
    _ = try ReadingAheadTests.sync(payload.json(), into: bench) { $0.usesFingerprints = false }
    payload.change()
    let json = payload.json()
    let runs = try bench.cancelAtEveryStep { control in
      _ = try ReadingAheadTests.sync(json, into: bench, control: control) {
        $0.usesFingerprints = false
        $0.sharedRows = 8
      }
    }
    #expect(runs > 10)
  }

  @Test("a reader that cannot be had costs nothing but time")
  func withoutReader() throws {
    let model = try ReadingAheadTests.model()
    let file = try TemporaryStore(model, .file) { $0.journal = .rollback }
    let bench = try Self.bench(file)
    var payload = Payload(seed: 5, count: 200)
    let json = payload.json()
    for isFirst in [true, false] {
      let result = try ReadingAheadTests.sync(json, into: bench) {
        $0.usesFingerprints = false
        $0.sharedRows = 8
      }
      #expect(result.changes.isEmpty == !isFirst)
    }
  }
}
