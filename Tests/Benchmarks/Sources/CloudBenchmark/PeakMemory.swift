import Foundation
import Measuring
import SyncCloud
import SyncCore
import SyncStack

/// The most memory that the process ever had resident while it pulled so many records for the first
/// time. The server makes them up as they are asked for, so that none of it is the server's.
struct PeakMemory {
  let records: Int

  func run() async throws {
    try await withFolder { folder in
      let there = try Machine(folder, "there", InventingTransport(records: records))
      let before = ProcessFigures.peakBytes
      let time = try await measure { try await there.cloud.pull() }
      let after = ProcessFigures.peakBytes
      say(
        "pull of \(records) by pages of \(InventingTransport.page): \(after >> 20) MB resident at most, "
          + "\((after - before) >> 20) MB more than before it, \(rounded(time.elapsed)) s")
    }
  }
}

/// A server with so many notes, none of which it keeps.
private struct InventingTransport: CloudTransport {
  static let page = 1000
  let records: Int

  func account() async throws -> String { "inventor" }

  func limits() async throws -> CloudLimits { CloudLimits(batch: Self.page, page: Self.page) }

  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    CloudZoneState(generation: "one")
  }

  func changes(in zone: CloudZone, after token: CloudToken?, limit: Int) async throws -> CloudPage {
    let place = token.flatMap { Int($0.rawValue) } ?? 0
    let end = min(place + limit, records)
    return CloudPage(
      records: (place..<end).map { number in
        CloudRecord(
          name: "note-\(number)", tag: String(number),
          content: [
            "type": "Note", "t": "1790000000000-aaaaaaaa", "f_id": .integer(Int64(number)),
            "f_title": .string("Note \(number)"),
            "f_text": .string("What is written in note \(number), a line of it"),
            "f_stars": .integer(Int64(number % 6)), "f_createdAt": ["t", "817207200.0"],
          ], time: Int64(number))
      }, token: CloudToken(rawValue: String(end)), hasMore: end < records)
  }

  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    throw CloudError(.readOnly, message: "It can only be read.")
  }

  func remove(_ zone: CloudZone) async throws {}
}
