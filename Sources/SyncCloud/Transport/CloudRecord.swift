public import SyncCore

/// A record as a server has it.
public struct CloudRecord: Sendable, Hashable {
  /// Unique in its zone: lower-case letters, digits, `-` and `_`, at most 255 of them.
  public let name: String

  /// The server's mark of this version.
  public let tag: String

  /// The record's members; nil when another program has deleted it.
  public let content: JSONObject?

  /// When the server wrote this version, in milliseconds since 1970.
  public let time: Int64

  public init(name: String, tag: String, content: JSONObject?, time: Int64) {
    self.name = name
    self.tag = tag
    self.content = content
    self.time = time
  }
}

/// A record that is to be written.
public enum CloudSave: Sendable, Hashable {
  /// Writes a record that must not be there.
  case create(name: String, content: JSONObject)

  /// Sets members of a record, one level deep, and leaves the others as they are.
  case update(name: String, tag: String, content: JSONObject)

  /// Writes a record in the place of the one that is there, so that no other member stays.
  case replace(name: String, tag: String, content: JSONObject)

  /// The record's name.
  public var name: String {
    switch self {
    case .create(let name, _), .update(let name, _, _), .replace(let name, _, _): name
    }
  }

  /// The members that are written.
  public var content: JSONObject {
    switch self {
    case .create(_, let content), .update(_, _, let content), .replace(_, _, let content): content
    }
  }

  /// The version that has to be there; nil when none may be.
  public var tag: String? {
    switch self {
    case .create: nil
    case .update(_, let tag, _), .replace(_, let tag, _): tag
    }
  }
}

/// The result for one record that was to be written.
public enum CloudSaveResult: Sendable, Hashable {
  /// It was written; the whole record as the server has it now.
  case saved(CloudRecord)

  /// Another version is there.
  case conflict(CloudRecord)

  /// There is no such record.
  case missing

  /// The server will not take it, and says why.
  case refused(String)
}
