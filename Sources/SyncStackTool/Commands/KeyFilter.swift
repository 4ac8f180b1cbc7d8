import Foundation
import SyncStack

/// Finds an object by its primary key as it is typed.
enum KeyFilter {
  /// The filter for the objects of an entity that have the key.
  ///
  /// - Throws: `SyncError` when the entity has no primary key, ``ToolError`` when the text can be
  ///   no such key.
  static func of(_ text: String, in entity: EntityDescription) throws -> Filter {
    guard let key = entity.primaryKey else { throw SyncError.noPrimaryKey(entity.name) }
    guard let value = value(text, key.type) else {
      throw ToolError(
        "“\(text)” is no key of \(entity.name): its \(key.name) is of the type \(key.type.rawValue)."
      )
    }
    return Filter("%K == %@", key.name, value)
  }

  private static func value(_ text: String, _ type: AttributeType) -> (any Sendable)? {
    switch type {
    case .integer16, .integer32, .integer64: Int64(text)
    case .decimal: Decimal(string: text, locale: nil)
    case .double, .float: Double(text)
    case .uuid: UUID(uuidString: text)
    default: text
    }
  }
}
