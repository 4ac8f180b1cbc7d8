import Foundation
import SyncCore

extension KintoTransport {
  public func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    guard !saves.isEmpty else { return [] }
    let place = try await place(of: zone)
    do {
      return try await save(saves, in: zone, place.path)
    } catch let error as CloudError where error.code == .zoneMissing || error.code == .forbidden {
      // Nothing was written where the collection is missing.
      guard try await hasMoved(zone, from: place) else { throw error }
      return try await save(saves, in: zone, try await self.place(of: zone).path)
    }
  }

  private func save(
    _ saves: [CloudSave], in zone: CloudZone, _ path: String
  ) async throws -> [CloudSaveResult] {
    let requests = saves.map { Self.request($0, path) }
    let answer = try await send("POST", "/batch", body: ["requests": .array(requests)]) {
      $0.status == 401 || $0.hasRefusedParts
    }
    let json: JSONValue
    do {
      json = try answer.json()
    } catch let error as CloudError where error.code == .tooLarge {
      forgetLimits()
      throw error
    }
    guard let answers = json["responses"]?.arrayValue, answers.count == saves.count else {
      throw CloudError(
        .unreachable,
        message: "The server did not answer for each record of a batch. Sync again later.")
    }
    // First whether any of it can be believed.
    let parts = try zip(saves, answers).map { try Part($1, of: $0, in: zone) }
    try Self.checkAccess(parts, in: zone)
    return try parts.map { try $0.result() }
  }

  private static func request(_ save: CloudSave, _ path: String) -> JSONValue {
    let method: JSONValue
    let guardHeader: JSONValue
    switch save {
    case .create: (method, guardHeader) = ("PUT", ["If-None-Match": "*"])
    case .update(_, let tag, _):
      (method, guardHeader) = ("PATCH", ["If-Match": .string("\"\(tag)\"")])
    case .replace(_, let tag, _):
      (method, guardHeader) = ("PUT", ["If-Match": .string("\"\(tag)\"")])
    }
    return [
      "method": method, "path": .string("\(path)/records/\(save.name)"), "headers": guardHeader,
      "body": ["data": .object(save.content)],
    ]
  }

  /// Throws when all of a batch was forbidden, though none of its records is another account's: the
  /// zone is forbidden then, not a record.
  private static func checkAccess(_ parts: [Part], in zone: CloudZone) throws {
    let isZone = parts.allSatisfy { part in
      part.status == 403 && (zone.scope == .private || part.save.tag == nil)
    }
    if isZone {
      throw KintoAnswer.error(403, text: parts.first?.message, retryAfter: nil)
    }
  }

  /// The answer for one record of a batch.
  private struct Part {
    let save: CloudSave
    let status: Int
    private let body: JSONValue?

    var message: String? { body?["message"]?.stringValue }

    /// - Throws: ``CloudError`` when it is none for that record, or nothing of the batch counts.
    init(_ json: JSONValue, of save: CloudSave, in zone: CloudZone) throws {
      self.save = save
      status = Int(clamping: json["status"]?.integerValue ?? 0)
      body = json["body"]
      guard json["path"]?.stringValue?.hasSuffix("/records/\(save.name)") == true else {
        throw CloudError(
          .unreachable, message: "The server answered for other records. Sync again later.")
      }
      let errno = body?["errno"]?.integerValue
      switch (status, errno) {
      case (200, _), (201, _), (400, _), (403, _), (413, _), (404, 110), (412, 114): return
      case (404, 111): throw KintoAnswer.missing(zone)
      case (401, _), (405, _), (410, _), (429, _), (503, _):
        let seconds = json["headers"]?["Retry-After"]?.stringValue.flatMap(Seconds.parse)
        throw KintoAnswer.error(status, text: message, retryAfter: seconds)
      default:
        throw CloudError(
          .unreachable,
          message: "A part of a batch failed with status \(status): nothing of it counts.",
          retryAfter: json["headers"]?["Retry-After"]?.stringValue.flatMap(Seconds.parse))
      }
    }

    func result() throws -> CloudSaveResult {
      switch status {
      case 200, 201: return .saved(try shown(body?["data"]))
      case 404: return .missing
      case 412:
        guard let existing = body?["details"]?["existing"] else { return .missing }
        let record = try shown(existing)
        return record.content == nil ? .missing : .conflict(record)
      case 403:
        return .refused(
          save.tag == nil
            ? "The account may not add records here. Ask the owner of the server."
            : "The account may not change it: it belongs to another account. Revert it to take the server's copy."
        )
      default: return .refused(message ?? "The server refuses it with status \(status).")
      }
    }

    private func shown(_ json: JSONValue?) throws -> CloudRecord {
      let record = try json.map(KintoTransport.record)
      guard let record, record.name == save.name else {
        throw CloudError(
          .unreachable,
          message: "The server does not say which records it has written. Sync again later.")
      }
      return record
    }
  }
}
