import Foundation
import SyncCore

extension SyncPayload {
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
