import Foundation
import SyncCore
import Testing

/// Large pieces of a state lie behind its JSON, as they are, and each may be the last that is read.
@Suite struct KeptPiecesTests {
  private struct State: Codable {
    var name = "state"
    var rows: [Int: RowSet] = [1: RowSet(0..<70_000), 2: RowSet([5])]
    var texts = (0..<5).map { KeptPiece(Data(repeating: UInt8($0), count: 1_000 * $0)) }
  }

  private struct Stop: Error {}

  private func encoded() throws -> Data { try KeptPieces.encode(State()) {} }

  @Test func whatWasKeptComesBack() throws {
    let state = try KeptPieces.decode(State.self, from: encoded()) {}
    #expect(state.name == "state")
    #expect(state.rows[1]?.rows == Array(0..<70_000) && state.rows[2]?.rows == [5])
    #expect(state.texts.map(\.data) == State().texts.map(\.data))
  }

  @Test func nothingLargeStandsInTheJSON() throws {
    let sizes = try KeptPieces.sizes(of: encoded())
    #expect(sizes.pieces.count == 7 && sizes.json < 200)
  }

  @Test func everyPieceMayBeTheLast() throws {
    let data = try encoded()
    for limit in 0..<7 {
      for work: (@escaping @Sendable () throws -> Void) throws -> Void in [
        { _ = try KeptPieces.decode(State.self, from: data, checkpoint: $0) },
        { _ = try KeptPieces.encode(State(), checkpoint: $0) },
      ] {
        let passed = Locked(0)
        #expect(throws: Stop.self) {
          try work {
            let count = passed.withLock { passed in
              passed += 1
              return passed
            }
            if count > limit { throw Stop() }
          }
        }
        #expect(passed.withLock { $0 } == limit + 1)
      }
    }
  }

  @Test func whatIsCutOffIsRefused() throws {
    let data = try encoded()
    let cuts = Array(0..<100) + stride(from: 100, to: data.count, by: 97)
    for count in cuts {
      #expect(throws: DecodingError.self) {
        _ = try KeptPieces.decode(State.self, from: data.prefix(count)) {}
      }
    }
    for bytes in [Data(repeating: 255, count: 64), Data("{}".utf8), Data(count: 16)] {
      #expect(throws: DecodingError.self) { _ = try KeptPieces.decode(State.self, from: bytes) {} }
    }
  }

  @Test func otherCodersKeepPiecesAsText() throws {
    let data = try JSONEncoder().encode(State())
    let state = try JSONDecoder().decode(State.self, from: data)
    #expect(state.rows[1]?.count == 70_000 && state.texts[4].data.count == 4_000)
  }
}
