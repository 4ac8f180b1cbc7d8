import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// The items of a payload that is read as a whole are scanned while those before them are staged, and what comes out is
/// the same.
@Suite(.timeLimit(.minutes(10))) struct ScanningAheadTests {
  @Test("report, changes, store and error are the same", arguments: 0..<8)
  func isTheSame(_ block: Int) throws {
    try ReadingAheadTests.expectTheSame(block) { payloads, byteCount in
      let size = Int.random(in: 1...max(byteCount / 8, 1), using: &payloads.generator)
      let usesFingerprints = payloads.generator.chance(50)
      return { request in
        request.usesFingerprints = usesFingerprints
        request.scannedAhead = size
      }
    }
  }

  @Test(
    "what is wrong with the text is told with its place, whichever thread found it",
    arguments: [1, 40, 4000])
  func errorsHaveTheirPlace(_ size: Int) throws {
    let payload: String =
      ReadingAheadTests.albums(0..<200).dropLast() + #", {"id": 200, "tracks": [{"id": }]}]"#
    let error = #expect(throws: JSONError.self) {
      _ = try ReadingAheadTests.sync(payload, into: SyncBench(ReadingAheadTests.model())) {
        $0.scannedAhead = size
      }
    }
    #expect(error?.path == "$[200].tracks[0].id")
  }

  @Test("no thread of the global queues is needed")
  func globalQueuesMayBeFull() throws {
    try withFullGlobalQueues {
      let bench = try SyncBench(ReadingAheadTests.model())
      _ = try ReadingAheadTests.sync(ReadingAheadTests.albums(0..<500), into: bench) {
        $0.scannedAhead = 100
      }
      #expect(try bench.count("Album") == 500)
    }
  }

  @Test("cancelled anywhere it leaves every table as it was")
  func cancelled() throws {
    let bench = try SyncBench(ReadingAheadTests.model())
    _ = try ReadingAheadTests.sync(ReadingAheadTests.albums(0..<400), into: bench) { _ in }
    let runs = try bench.cancelAtEveryStep { control in
      _ = try ReadingAheadTests.sync(
        ReadingAheadTests.albums(200..<600), into: bench, control: control
      ) {
        $0.scannedAhead = 512
      }
    }
    #expect(runs > 12)
    #expect(try bench.count("Album") == 400)
  }
}
