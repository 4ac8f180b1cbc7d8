public import Foundation
public import SyncCore

/// What the calls that sync take as JSON: bytes, text, the URL of a file, a JSON tree, dictionaries,
/// lists of trees and dictionaries, and a ``SyncPayload`` in its short form, as in `.file(url)`. Values
/// that are `Encodable` have calls of their own, which look the same.
public protocol SyncPayloadConvertible {
  /// The value as a payload.
  var syncPayload: SyncPayload { get }
}

extension SyncPayload: SyncPayloadConvertible {
  public var syncPayload: SyncPayload { self }
}

extension Data: SyncPayloadConvertible {
  public var syncPayload: SyncPayload { .data(self) }
}

extension String: SyncPayloadConvertible {
  /// The text as JSON.
  public var syncPayload: SyncPayload { .data(Data(utf8)) }
}

extension URL: SyncPayloadConvertible {
  /// The content of the file at the URL.
  public var syncPayload: SyncPayload { .file(self) }
}

extension JSONValue: SyncPayloadConvertible {
  public var syncPayload: SyncPayload { .json(self) }
}

extension Array: SyncPayloadConvertible where Element: SyncPayloadConvertible {
  /// The items as a list: `[[String: Any]]`, `[JSONValue]`, `[[String: Int]]`.
  public var syncPayload: SyncPayload { .list(of: self) }
}

extension Dictionary: SyncPayloadConvertible where Key == String {
  /// The one object as a list, whatever its values are: `[String: Any]`, `[String: Int]`.
  public var syncPayload: SyncPayload { .list(of: [self]) }
}

extension JSONObject: SyncPayloadConvertible {
  public var syncPayload: SyncPayload { .json(.object(self)) }
}
