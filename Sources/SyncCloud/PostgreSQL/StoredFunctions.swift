import Foundation
import SyncCore

/// Carries calls to the functions of `syncstack.sql`.
protocol StoredFunctionCaller: Sendable {
  /// Calls a function and reads its answer.
  ///
  /// - Parameter isRepeatable: Whether it may be called once more when the connection turns out to
  ///   be lost.
  /// - Throws: ``CloudError``; `CancellationError`.
  func call(
    _ function: String, _ arguments: JSONObject, isRepeatable: Bool
  ) async throws -> JSONValue
}

/// The calls of ``CloudTransport`` in the words of `syncstack.sql`, over any caller. All rules are
/// in the database: here is translation only.
struct StoredFunctions: Sendable {
  private let app: String
  private let caller: any StoredFunctionCaller

  /// The version of the functions that the database has to have.
  private static let version: Int64 = 4

  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` when the app can have no such
  ///   name.
  init(app: String, _ caller: any StoredFunctionCaller) throws {
    try AppName.check(app)
    self.app = app
    self.caller = caller
  }

  func account() async throws -> String {
    let version = try await caller.call("version", [:], isRepeatable: true).integerValue ?? 0
    guard version >= Self.version else {
      throw CloudError(
        .unsupported,
        message:
          "The database has version \(version) of the functions, and this program calls version "
          + "\(Self.version). Its owner brings them up to date: syncstack cloud install-sql | psql -d DATABASE."
      )
    }
    let answer = try await caller.call("account", [:], isRepeatable: true)
    guard let account = answer.stringValue else { throw Self.unreadable }
    return account
  }

  func limits() async throws -> CloudLimits {
    let answer = try await caller.call("limits", [:], isRepeatable: true)
    guard let batch = answer["batch"]?.integerValue, let page = answer["page"]?.integerValue else {
      throw Self.unreadable
    }
    return CloudLimits(batch: Int(clamping: batch), page: Int(clamping: page))
  }

  func open(_ zone: CloudZone, create: Bool) async throws -> CloudZoneState {
    let answer = try await caller.call(
      "open", ["zone": path(zone), "make": .bool(create)], isRepeatable: true)
    guard let generation = answer["generation"]?.stringValue,
      let access = answer["access"]?.stringValue.flatMap(CloudZoneState.Access.init)
    else { throw Self.unreadable }
    return CloudZoneState(generation: generation, access: access)
  }

  /// On which channel the database tells of changes of a zone; nil when it does not say.
  func channel(of zone: CloudZone) async throws -> String? {
    let answer = try await caller.call(
      "open", ["zone": path(zone), "make": false], isRepeatable: true)
    return answer["channel"]?.stringValue
  }

  func changes(in zone: CloudZone, after token: CloudToken?, limit: Int) async throws -> CloudPage {
    let after: JSONValue = if let token { .string(token.rawValue) } else { .null }
    let answer = try await caller.call(
      "changes", ["zone": path(zone), "after": after, "page": .integer(Int64(limit))],
      isRepeatable: true)
    guard let records = answer["records"]?.arrayValue, let token = answer["token"]?.stringValue,
      let hasMore = answer["hasMore"]?.boolValue
    else { throw Self.unreadable }
    return CloudPage(
      records: try records.map { try Self.record($0) }, token: CloudToken(rawValue: token),
      hasMore: hasMore, newest: answer["newest"]?.integerValue)
  }

  func record(_ name: String, in zone: CloudZone) async throws -> CloudRecord? {
    let answer = try await caller.call(
      "record", ["zone": path(zone), "name": .string(name)], isRepeatable: true)
    return answer.isNull ? nil : try Self.record(answer)
  }

  func save(_ saves: [CloudSave], in zone: CloudZone) async throws -> [CloudSaveResult] {
    guard !saves.isEmpty else { return [] }
    let items = saves.map { save -> JSONValue in
      var item: JSONObject = [
        "op": .string(save.operation), "name": .string(save.name), "content": .object(save.content),
      ]
      if let tag = save.tag { item["tag"] = .string(tag) }
      return .object(item)
    }
    let answer = try await caller.call(
      "save", ["zone": path(zone), "saves": .array(items)], isRepeatable: false)
    guard let answers = answer.arrayValue, answers.count == saves.count else {
      throw Self.unreadable
    }
    let results = try zip(saves, answers).map(Self.result)
    // The records are saved, whether a listener hears of it now or asks later.
    _ = try? await caller.call("tell", ["zone": path(zone)], isRepeatable: true)
    return results
  }

  func remove(_ zone: CloudZone) async throws {
    _ = try await caller.call("remove", ["zone": path(zone)], isRepeatable: true)
  }

  func participants(of zone: CloudZone) async throws -> [CloudParticipant] {
    let answer = try await caller.call("participants", ["zone": path(zone)], isRepeatable: true)
    guard let list = answer.arrayValue else { throw Self.unreadable }
    return try list.map { each in
      guard let account = each["account"]?.stringValue,
        let access = each["access"]?.stringValue.flatMap(CloudZoneState.Access.init)
      else { throw Self.unreadable }
      return CloudParticipant(account, access)
    }
  }

  func setParticipants(_ participants: [CloudParticipant], of zone: CloudZone) async throws {
    let list = participants.map { each -> JSONValue in
      ["account": .string(each.account), "access": .string(each.access.rawValue)]
    }
    _ = try await caller.call(
      "set_participants", ["zone": path(zone), "participants": .array(list)], isRepeatable: true)
  }

  func leave(_ zone: CloudZone) async throws {
    _ = try await caller.call("leave", ["zone": path(zone)], isRepeatable: true)
  }

  // MARK: - Translation

  private func path(_ zone: CloudZone) -> JSONValue {
    let owner = zone.owner.map { "/\($0)" } ?? ""
    return .string("\(app)/\(zone.scope.rawValue)/\(zone.name)\(owner)")
  }

  private static func result(_ save: CloudSave, _ answer: JSONValue) throws -> CloudSaveResult {
    if let saved = answer["saved"] {
      return .saved(try record(saved, content: save.content, of: save.name))
    }
    if let conflict = answer["conflict"] { return .conflict(try record(conflict, of: save.name)) }
    if answer["missing"] == true { return .missing }
    if let reason = answer["refused"]?.stringValue { return .refused(reason) }
    throw unreadable
  }

  /// - Parameter content: The content of the record when the answer leaves it out.
  private static func record(
    _ json: JSONValue, content: JSONObject? = nil, of expected: String? = nil
  ) throws -> CloudRecord {
    guard let name = json["name"]?.stringValue, let tag = json["tag"]?.stringValue,
      let time = json["time"]?.integerValue, expected == nil || name == expected
    else { throw unreadable }
    return CloudRecord(
      name: name, tag: tag, content: json["content"].map(\.objectValue) ?? content, time: time)
  }

  static var unreadable: CloudError {
    CloudError(
      .unreachable,
      message:
        "The answer is none of the functions of SyncStack. Is it another server at that address?")
  }
}

extension CloudSave {
  fileprivate var operation: String {
    switch self {
    case .create: "create"
    case .update: "update"
    case .replace: "replace"
    }
  }
}
