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

// MARK: - Short names

extension SyncPayload {
  /// A JSON:API document in any form that is a payload: ``jsonAPI(_:)-(SyncPayload)``.
  public static func jsonAPI(_ document: some SyncPayloadConvertible) -> SyncPayload {
    jsonAPI(document.syncPayload)
  }
}

// The forms of ``SyncPayload`` by their short names, where a call takes anything that is a payload:
// `stack.sync(.file(url), inEntityNamed: "User")`, as in `Sync(.file(url), …)`.
// They are disfavoured, so that where a payload is wanted the cases themselves are meant.
extension SyncPayloadConvertible where Self == SyncPayload {
  /// A file of JSON text. It is read before anything is done; one of more than 256 MB by way of a temporary copy.
  @_disfavoredOverload
  public static func file(_ url: URL) -> SyncPayload { SyncPayload.file(url) }

  /// JSON text in UTF-8.
  @_disfavoredOverload
  public static func data(_ data: Data) -> SyncPayload { SyncPayload.data(data) }

  /// A JSON tree.
  @_disfavoredOverload
  public static func json(_ value: JSONValue) -> SyncPayload { SyncPayload.json(value) }

  /// A JSON:API document; see `jsonAPI(_:)`.
  @_disfavoredOverload
  public static func jsonAPI(_ document: some SyncPayloadConvertible) -> SyncPayload {
    SyncPayload.jsonAPI(document.syncPayload)
  }

  /// The objects of `JSONSerialization` and of hand-written dictionaries.
  @_disfavoredOverload
  public static func objects(_ objects: [[String: Any]]) -> SyncPayload {
    SyncPayload.objects(objects)
  }

  /// A value that encodes to a list of objects, or to one.
  @_disfavoredOverload
  public static func encodable(_ value: some Encodable) -> SyncPayload {
    SyncPayload.encodable(value)
  }

  /// What a file handle gives until its end; see ``SyncPayload/handle(_:)``.
  @_disfavoredOverload
  public static func handle(_ handle: FileHandle) -> SyncPayload { SyncPayload.handle(handle) }

  /// Pieces of bytes as they come, cut anywhere.
  @_disfavoredOverload
  public static func chunks<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) -> SyncPayload
  where Chunks.Element == Data {
    SyncPayload.chunks(chunks)
  }
}
