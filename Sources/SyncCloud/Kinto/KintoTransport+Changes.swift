import Foundation
import SyncCore

extension KintoTransport {
  /// Milliseconds from which the feed is read again.
  private static let overlap: Int64 = 5000

  /// A place in the feed.
  ///
  /// ```
  /// 1795232914360                  begin here, with an overlap
  /// 1795232914360+1795232915000    go on exactly here; the server was at the second number when the pull began, so
  ///                                the next pull begins there at the latest
  /// ```
  private struct Place {
    var position: Int64
    var start: Int64?

    init?(_ token: CloudToken) {
      let parts = token.rawValue.split(separator: "+", omittingEmptySubsequences: false)
      guard let position = Int64(parts[0]), parts.count < 3 else { return nil }
      self.position = position
      if parts.count == 2 {
        guard let start = Int64(parts[1]) else { return nil }
        self.start = start
      }
    }

    static func token(_ position: Int64, start: Int64?) -> CloudToken {
      CloudToken(rawValue: start.map { "\(position)+\($0)" } ?? String(position))
    }
  }

  public func changes(
    in zone: CloudZone, after token: CloudToken?, limit: Int
  ) async throws -> CloudPage {
    let place = try token.map { token throws -> Place in
      guard let place = Place(token) else { throw Self.refused(token.rawValue) }
      return place
    }
    var since = place?.position ?? 0
    if place?.start == nil { since = max(0, since - Self.overlap) }
    let path = try await path(of: zone)
    let answer = try await send(
      "GET", "\(path)/records?_since=\(since)&_sort=last_modified&_limit=\(max(limit, 1))")
    if answer.isMissing { throw KintoAnswer.missing(zone) }
    let json: JSONValue
    do {
      json = try answer.json()
    } catch let error as CloudError where error.code == .unsupported {
      throw Self.refused(String(since))
    }
    guard let list = json["data"]?.arrayValue else {
      throw CloudError(
        .unreachable,
        message: "The server's list of records has no records in it. Sync again later.")
    }
    let records = try list.map(Self.record)
    let hasMore = answer.header("Next-Page") != nil
    let now = answer.header("ETag").flatMap { Int64($0.filter(\.isNumber)) }
    let position = max(records.last?.time ?? since, place?.position ?? 0)
    let start = place?.start ?? now ?? position
    return CloudPage(
      records: records,
      token: hasMore
        ? Place.token(records.last?.time ?? since, start: start)
        : Place.token(min(position, max(start, place?.position ?? 0)), start: nil),
      hasMore: hasMore && !records.isEmpty)
  }

  private static func refused(_ place: String) -> CloudError {
    CloudError(
      .tokenRefused, message: "The server does not know the place \(place) in its changes.")
  }

  /// A record as the server shows it. What has `deleted` and no `type` is a tombstone: a live record of ours always
  /// has a type.
  static func record(_ json: JSONValue) throws -> CloudRecord {
    guard var content = json.objectValue, let name = content["id"]?.stringValue,
      let time = content["last_modified"]?.integerValue
    else {
      throw CloudError(
        .unreachable, message: "A record of the server has no name or no time. Sync again later.")
    }
    let isTombstone = content["deleted"]?.boolValue == true && content["type"] == nil
    content["id"] = nil
    content["last_modified"] = nil
    content["schema"] = nil
    return CloudRecord(
      name: name, tag: String(time), content: isTombstone ? nil : content, time: time)
  }
}
