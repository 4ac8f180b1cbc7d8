public import Foundation
public import SyncCore

/// The JSON that a sync reads.
///
/// A list of objects, or one object, which counts as a list of one; newline-delimited JSON; or a
/// document that holds the list somewhere inside, at the path that the sync is given.
public enum SyncPayload: Sendable {
  /// JSON text in UTF-8.
  case data(Data)
  /// A file of JSON text. It is read before anything is done; one of more than 256 MB by way of a temporary copy.
  case file(URL)
  /// Bytes that come piece by piece; see ``handle(_:)`` and ``chunks(_:)``.
  case stream(SyncByteStream)
  /// A JSON tree.
  case json(JSONValue)
  /// A document of a form that is more than a list of objects; see `jsonAPI(_:)`.
  indirect case document(DocumentForm, SyncPayload)
  /// What could not be turned into JSON; the sync fails with it.
  case unusable(JSONError)

  /// The objects of `JSONSerialization` and of hand-written dictionaries.
  public static func objects(_ objects: [[String: Any]]) -> SyncPayload {
    list(of: objects)
  }

  /// A JSON:API document: `data` with its attributes and relationships, and everything that is `included`, in one
  /// transaction.
  ///
  /// ```swift
  /// try await stack.sync(.jsonAPI(data), inEntityNamed: "Article")
  /// ```
  ///
  /// `data` means the entity that is synced; what else a type means is the entity whose user info `sync.type` says so, or
  /// whose name it is, in the singular or plural, or that the relationship leads to. Primary keys are filled by `id`.
  /// Resources that are only included are inserted and updated, never deleted for want of mention. A document whose `data` is
  /// one resource, or that is a page of a list, deletes nothing; ``SyncReport/nextPage`` is the link to the next page.
  public static func jsonAPI(_ document: SyncPayload) -> SyncPayload {
    .document(.jsonAPI, document)
  }

  /// Items of any type that stands for JSON.
  static func list(of items: [Any]) -> SyncPayload {
    converting { try JSONValue(items) }
  }

  /// A value that encodes to a list of objects, or to one.
  public static func encodable(_ value: some Encodable) -> SyncPayload {
    converting { try JSONValue(encoding: value) }
  }

  private static func converting(_ body: () throws -> JSONValue) -> SyncPayload {
    do {
      return .json(try body())
    } catch let error as JSONError {
      return .unusable(error)
    } catch {
      return .unusable(JSONError(.unsupportedValue, message: String(describing: error)))
    }
  }
}

/// What a document is beside JSON.
public enum DocumentForm: String, Sendable, Hashable, CaseIterable {
  /// See `SyncPayload.jsonAPI(_:)`.
  case jsonAPI = "json-api"
}

extension SyncPayload {
  /// Gives the bytes of the payload to a closure.
  ///
  /// - Parameter control: Ends the wait for a stream, or the copying of a file, when it is cancelled.
  /// - Throws: ``SyncError`` with ``SyncError/Code/unreadablePayload`` when the file cannot be read,
  ///   the ``JSONError`` of a payload that is none, and what the closure throws.
  func withBytes<T>(
    _ control: SyncControl? = nil, _ body: (UnsafeRawBufferPointer) throws -> T
  ) throws -> T {
    switch self {
    case .document(_, let payload):
      return try payload.withBytes(control, body)
    case .stream(let stream):
      return try stream.read(control).withUnsafeBytes(body)
    case .data(let data):
      return try data.withUnsafeBytes(body)
    case .json(let value):
      return try value.data().withUnsafeBytes(body)
    case .unusable(let error):
      throw error
    case .file(let url):
      return try PayloadFile(url).read(control).withUnsafeBytes(body)
    }
  }

  /// The one object of the payload.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidItem`` when it is none, or several.
  func singleObject() throws -> JSONValue {
    let document: JSONValue
    switch self {
    case .json(let value): document = value
    default: document = try JSONValue(parsing: withBytes { Data($0) })
    }
    var item = document
    if let items = document.arrayValue, items.count == 1 { item = items[0] }
    guard case .object = item else {
      let found = document.arrayValue.map { "a list of \($0.count)" } ?? document.kindText
      throw SyncError(
        .invalidItem, path: "$",
        message: "One JSON object is expected, found \(found). Use sync for lists of objects.")
    }
    return item
  }
}
