import Foundation
import SyncCore

/// Rewrites a payload before it is read, for a hook or because it is a JSON:API document. It is in
/// memory as a whole.
struct PayloadRewriting {
  let request: SyncRequest

  /// The request for the rewritten payload.
  ///
  /// - Throws: ``JSONError`` when it is no JSON, ``SyncError`` when it is no document of its form,
  ///   errors of a hook.
  func rewritten(_ control: SyncControl) throws -> SyncRequest {
    var document = try request.payload.withBytes(control) {
      try JSONValue(document: $0, request.settings.reading)
    }
    var result = request
    var rewritten = RewrittenPayload()
    if request.payload.isJSONAPI {
      guard request.setup.path == nil else {
        throw SyncError(
          .invalidRequest, entity: request.plan.rootNode.entity.name,
          message: "The list of a JSON:API document is its “data”. Leave the path out.")
      }
      if let prepare = request.settings.prepare { document = try prepare(document) }
      rewritten = try JSONAPIDocument(document).rewritten(for: request.plan)
    } else if let prepare = request.settings.prepare {
      rewritten = try RewrittenPayload(document, at: request.setup.path, by: prepare)
    }
    result.payload = .json(rewritten.json)
    result.setup.path = rewritten.path
    result.rewritten = rewritten
    // Pages delete nothing, and go by the settings of their session.
    if !rewritten.isWhole, request.session == nil { result.settings.operations.remove(.delete) }
    return result
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
