import Foundation
import SyncCore

extension KintoTransport {
  public func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    guard !saves.isEmpty else { return [] }
    let path = try await path(of: zone)
    let requests = saves.map { Self.request($0, path) }
    let answer = try await send("POST", "/batch", body: ["requests": .array(requests)])
    let json: JSONValue
    do {
      json = try answer.json()
    } catch let error as CloudError where error.code == .tooLarge {
      forgetLimits()
      throw error
    }
    guard let parts = json["responses"]?.arrayValue, parts.count == saves.count else {
      throw CloudError(
        .unreachable,
        message: "The server did not answer for each record of a batch. Sync again later.")
    }
    // First whether any of it can be believed.
    for part in parts {
      let status = Int(part["status"]?.integerValue ?? 0)
      if status == 409 || status >= 500 || status == 0 {
        throw CloudError(
          .unreachable,
          message: "A part of a batch failed with status \(status): nothing of it counts.",
          retryAfter: Self.retryAfter(part))
      }
      if status == 401 { throw KintoAnswer.notSignedIn }
      if status == 405 || status == 410 || status == 429 {
        throw KintoAnswer.error(status, text: Self.message(part), nil)
      }
      if status == 404, part["body"]?["errno"]?.integerValue == 111 {
        throw KintoAnswer.missing(zone)
      }
    }
    return try zip(saves, parts).map(Self.result)
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

  private static func result(_ save: CloudSave, _ part: JSONValue) throws -> CloudSaveResult {
    let status = Int(part["status"]?.integerValue ?? 0)
    switch status {
    case 200, 201:
      guard let data = part["body"]?["data"] else {
        throw CloudError(
          .unreachable, message: "The server does not say what it has written. Sync again later.")
      }
      return .saved(try record(data))
    case 412:
      guard let existing = part["body"]?["details"]?["existing"] else { return .missing }
      let shown = try record(existing)
      return shown.content == nil ? .missing : .conflict(shown)
    case 404: return .missing
    case 403:
      return .refused(
        save.tag == nil
          ? "The account may not add records here. Ask the owner of the server."
          : "The account may not change it: it belongs to another account. Revert it to take the server's copy."
      )
    default: return .refused(message(part) ?? "The server refuses it with status \(status).")
    }
  }

  private static func message(_ part: JSONValue) -> String? {
    part["body"]?["message"]?.stringValue
  }

  private static func retryAfter(_ part: JSONValue) -> Double? {
    part["headers"]?["Retry-After"]?.stringValue.flatMap { Double($0) }
  }
}
