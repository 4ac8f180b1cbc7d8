import Foundation
import SyncCore

extension KintoTransport {
  public func changes(
    in zone: CloudZone, after token: CloudToken?, limit: Int
  ) async throws -> CloudPage {
    let records = try await self.place(of: zone)
    var place = FeedPlace()
    if let token {
      let (name, text) = Self.parts(token)
      guard name == records.name, let known = FeedPlace(text) else {
        throw Self.refused(token.rawValue)
      }
      place = known
    }
    do {
      let page = try await changes(records, zone, from: place, limit)
      guard let name = records.name else { return page }
      return CloudPage(
        records: page.records, token: CloudToken(rawValue: "\(name)/\(page.token.rawValue)"),
        hasMore: page.hasMore, newest: page.newest)
    } catch let error as CloudError where error.code == .zoneMissing {
      guard try await hasMoved(zone, from: records) else { throw error }
      return try await changes(in: zone, after: token, limit: limit)
    }
  }

  /// A token's collection, when that is another one than the zone's own, and the place in its
  /// changes.
  private static func parts(_ token: CloudToken) -> (name: String?, place: String) {
    guard let slash = token.rawValue.lastIndex(of: "/") else { return (nil, token.rawValue) }
    return (
      String(token.rawValue[..<slash]),
      String(token.rawValue[token.rawValue.index(after: slash)...])
    )
  }

  private func changes(
    _ records: Place, _ zone: CloudZone, from start: FeedPlace, _ limit: Int
  ) async throws -> CloudPage {
    var place = start
    let list = "\(records.path)/records?_sort=last_modified&_limit=\(max(limit, 1))"
    let isFirst = !place.isAmongPages
    var clock: Int64?
    if isFirst, !place.isSettled, !place.known.isEmpty {
      let seen = try await look(list, place, zone)
      if seen.isAll { return CloudPage(records: [], token: seen.place.token, hasMore: false) }
      (place, clock) = (seen.place, seen.clock)
    }
    let answer = try await ask(
      "\(list)&_since=\(place.start)", zone,
      ifNewerThan: place.isSettled && place.newest > 0 ? place.newest : nil)
    if answer.status == 304 {
      return CloudPage(records: [], token: place.token, hasMore: false)
    }
    let records = try Self.list(answer, place).map(Self.record)
    let hasMore = answer.header("Next-Page") != nil && !records.isEmpty
    place.pass(
      records.map(\.time), newest: answer.newest, clock: clock ?? answer.clock, isFirst: isFirst,
      hasMore: hasMore)
    return CloudPage(records: records, token: place.token, hasMore: hasMore, newest: answer.newest)
  }

  public func token(_ token: CloudToken, knowing records: [CloudRecord]) -> CloudToken {
    let (name, text) = Self.parts(token)
    guard var place = FeedPlace(text) else { return token }
    place.remember(records.map(\.time))
    return CloudToken(rawValue: (name.map { "\($0)/" } ?? "") + place.text)
  }

  /// Asks for the times of versions that may have appeared since, without the records.
  ///
  /// - Returns: The place after it when all of it is known; else the one before the first that is
  ///   not.
  private func look(
    _ list: String, _ place: FeedPlace, _ zone: CloudZone
  ) async throws -> (place: FeedPlace, clock: Int64?, isAll: Bool) {
    let path = "\(list)&_since=\(place.start)&_fields=last_modified"
    // An earlier version that appears late does not change the mark by which the server knows that
    // nothing is new. So that is asked only while the last look is still to come; a wrong clock
    // here costs a request, no more.
    let isEarly = !place.settles(at: Int64(Date().timeIntervalSince1970 * 1000))
    var answer = try await ask(
      path, zone, ifNewerThan: isEarly && place.isWhole ? place.newest : nil)
    if answer.status == 304 {
      guard place.settles(at: answer.clock) else { return (place, answer.clock, true) }
      answer = try await ask(path, zone, ifNewerThan: nil)
    }
    let times = try Self.list(answer, place).map { try Self.record($0).time }
    let hasMore = answer.header("Next-Page") != nil && !times.isEmpty
    var next = place
    let known = Set(place.known)
    if let unknown = times.first(where: { !known.contains($0) }) {
      next.skip(to: unknown - 1)
      return (next, answer.clock, false)
    }
    if hasMore {
      next.skip(to: times.last ?? 0)
      return (next, answer.clock, false)
    }
    next.pass(times, newest: answer.newest, clock: answer.clock, isFirst: true, hasMore: false)
    return (next, answer.clock, true)
  }

  private func ask(
    _ path: String, _ zone: CloudZone, ifNewerThan newest: Int64?
  ) async throws -> KintoAnswer {
    let answer = try await send(
      "GET", path, headers: newest.map { ["If-None-Match": "\"\($0)\""] } ?? [:])
    if answer.isMissing { throw KintoAnswer.missing(zone) }
    if answer.status == 400, answer.errno == 107 { throw Self.refused(path) }
    if answer.status != 304 || newest == nil { try answer.check() }
    return answer
  }

  /// The members of a list.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/tokenRefused`` when the server has less than
  ///   was seen there: it was taken back to an earlier state.
  private static func list(_ answer: KintoAnswer, _ place: FeedPlace) throws -> [JSONValue] {
    guard let list = try answer.json()["data"]?.arrayValue else {
      throw CloudError(
        .unreachable,
        message: "The server's list of records has no records in it. Sync again later.")
    }
    if let newest = answer.newest, newest < place.newest {
      throw CloudError(
        .tokenRefused,
        message: "The server was taken back to a state before the one that was last seen.")
    }
    return list
  }

  public func record(_ name: String, in zone: CloudZone) async throws -> CloudRecord? {
    let place = try await place(of: zone)
    let answer = try await send("GET", "\(place.path)/records/\(name)")
    if answer.isMissing {
      // One that is not there is missing itself, and so is the collection.
      guard answer.status == 403 || answer.errno != 110 else { return nil }
      return try await hasMoved(zone, from: place) ? try await record(name, in: zone) : nil
    }
    guard let data = try answer.json()["data"] else {
      throw CloudError(
        .unreachable, message: "The server's record has no data in it. Sync again later.")
    }
    return try Self.record(data)
  }

  private static func refused(_ place: String) -> CloudError {
    CloudError(
      .tokenRefused, message: "The server does not know the place \(place) in its changes.")
  }

  /// A record as the server shows it. A record with `deleted` and without `type` is a tombstone: a
  /// live record of ours always has a type.
  static func record(_ json: JSONValue) throws -> CloudRecord {
    guard var content = json.objectValue, let name = content["id"]?.stringValue,
      let time = content["last_modified"]?.integerValue.flatMap(KintoAnswer.time)
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

extension FeedPlace {
  fileprivate var token: CloudToken { CloudToken(rawValue: text) }
}
