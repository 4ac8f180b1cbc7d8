import Foundation
import SyncCore

/// Payloads that are rewritten before they are read. They are in memory as a whole.
extension SyncRequest {
  /// Whether the payload is read as it stands.
  var isPlain: Bool { rewritten != nil || (prepare == nil && !payload.isJSONAPI) }

  /// The request for what the payload becomes.
  ///
  /// - Throws: ``JSONError`` when it is no JSON, ``SyncError`` when it is no document of its form, what a hook throws.
  func rewriting(_ control: SyncControl) throws -> SyncRequest {
    var document = try payload.withBytes(control) { try JSONValue(document: $0, reading) }
    var result = self
    var rewritten = RewrittenPayload()
    if payload.isJSONAPI {
      guard path == nil else {
        throw SyncError(
          .invalidRequest, entity: plan.rootNode.entity.name,
          message: "The list of a JSON:API document is its “data”. Leave the path out.")
      }
      if let prepare { document = try prepare(document) }
      rewritten = try JSONAPIDocument(document).rewritten(for: plan)
    } else if let prepare {
      rewritten = try RewrittenPayload(document, at: path, by: prepare)
    }
    result.payload = .json(rewritten.json)
    result.path = rewritten.path
    result.rewritten = rewritten
    // Pages delete nothing, and go by the settings of their session.
    if !rewritten.isWhole, session == nil { result.operations.remove(.delete) }
    return result
  }
}

extension SyncPayload {
  fileprivate var isJSONAPI: Bool {
    if case .document(.jsonAPI, _) = self { true } else { false }
  }
}

extension JSONValue {
  /// A document; the values of several lines are a list.
  fileprivate init(document bytes: UnsafeRawBufferPointer, _ options: JSONReadingOptions) throws {
    if options.format != .lines {
      do {
        self = try JSONValue(parsing: Data(bytes), options: options)
        return
      } catch let error as JSONError
        where error.code == .trailingContent && options.format == .automatic
      {
        // There are several.
      }
    }
    var reader = try JSONItemReader(bytes, options: options)
    let tape = JSONTape()
    var values: [JSONValue] = []
    while try reader.next(into: tape) { values.append(tape.value(0)) }
    self = .array(values)
  }
}
