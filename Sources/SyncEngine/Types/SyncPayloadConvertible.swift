public import Foundation
public import SyncCore

/// The payloads that the calls that sync take: bytes, text, the URL of a file, a JSON tree,
/// dictionaries, lists of trees and dictionaries, and the forms of a ``SyncPayload`` by their
/// names.
///
/// ```swift
/// try await stack.sync(data, inEntityNamed: "User")
/// try await stack.sync(.file(url), inEntityNamed: "User")
/// ```
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
  public var syncPayload: SyncPayload { SyncPayload { try JSONValue(self) } }
}

extension Dictionary: SyncPayloadConvertible where Key == String {
  /// The one object as a list, with values of any type: `[String: Any]`, `[String: Int]`.
  public var syncPayload: SyncPayload { SyncPayload { try JSONValue([self]) } }
}

extension JSONObject: SyncPayloadConvertible {
  public var syncPayload: SyncPayload { .json(.object(self)) }
}

// MARK: - Forms by name

extension SyncPayloadConvertible where Self == SyncPayload {
  /// JSON text in UTF-8.
  public static func data(_ data: Data) -> SyncPayload { SyncPayload(.data(data)) }

  /// A file of JSON text. It is read before anything is done; one of more than 256 MB by way of a
  /// temporary copy.
  public static func file(_ url: URL) -> SyncPayload { SyncPayload(.file(url)) }

  /// A JSON tree.
  public static func json(_ value: JSONValue) -> SyncPayload { SyncPayload(.json(value)) }

  /// The objects of `JSONSerialization` and of hand-written dictionaries.
  public static func objects(_ objects: [[String: Any]]) -> SyncPayload {
    SyncPayload { try JSONValue(objects) }
  }

  /// A value that encodes to a list of objects, or to one.
  ///
  /// ```swift
  /// try await stack.sync(.encodable(users), inEntityNamed: "User")   // struct User: Encodable
  /// ```
  public static func encodable(_ value: some Encodable) -> SyncPayload {
    SyncPayload { try JSONValue(encoding: value) }
  }

  /// The bytes that a file handle gives until its end: a file, a socket, the standard input,
  /// `pipe.fileHandleForReading`. It may be larger than memory, as it goes through a temporary
  /// file; it can be read once. The sync closes nothing.
  public static func handle(_ handle: FileHandle) -> SyncPayload {
    SyncPayload(.stream(SyncByteStream(handle)))
  }

  /// Pieces of bytes as they come, cut anywhere; as ``handle(_:)``. An error of the sequence is
  /// that of the sync.
  public static func chunks<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) -> SyncPayload
  where Chunks.Element == Data {
    let stream = SyncByteStream { give in
      for try await chunk in chunks { guard try give(chunk) else { return } }
    }
    return SyncPayload(.stream(stream))
  }

  /// A table of comma-separated values (RFC 4180) whose first line has the names of the columns:
  /// each row is an object of the list.
  ///
  /// ```swift
  /// try await stack.sync(.csv(url), inEntityNamed: "User")
  /// ```
  ///
  /// A field is a text, of which the mapping makes a value of its attribute's type, as of a text in
  /// JSON. An empty field without quotes is null, `""` is the empty text. Semicolons or tabs part
  /// the fields where the first line has more of them than commas. The text is UTF-8. A row that
  /// has another number of fields, or quotes that are not closed, fails the sync with an error that
  /// names line and column.
  public static func csv(_ table: some SyncPayloadConvertible) -> SyncPayload {
    var payload = table.syncPayload
    payload.isTable = true
    return payload
  }

  /// A JSON:API document: `data` with its attributes and relationships, and everything that is
  /// `included`, in one transaction.
  ///
  /// ```swift
  /// try await stack.sync(.jsonAPI(data), inEntityNamed: "Article")
  /// ```
  ///
  /// `data` means the entity that is synced; another type means the entity whose user info
  /// `sync.type` names it, or whose name it is, in the singular or plural, or that the relationship
  /// leads to. Primary keys are filled by `id`. Resources that are only included are inserted and
  /// updated, never deleted for want of mention. A document whose `data` is one resource, or that
  /// is a page of a list, deletes nothing; ``SyncReport/nextPage`` is the link to the next page.
  public static func jsonAPI(_ document: some SyncPayloadConvertible) -> SyncPayload {
    var payload = document.syncPayload
    payload.isJSONAPI = true
    return payload
  }
}
