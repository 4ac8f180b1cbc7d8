import Foundation
import SyncStack

/// Names of entities and properties for keys of JSON.
enum DraftNames {
  /// The name of an entity for the key of its objects: `blocked_users` gives `BlockedUser`.
  static func entity(_ key: String) -> String {
    let name = property(key)
    let singular = Inflection.singulars(name).first ?? name
    let result = singular.prefix(1).uppercased() + singular.dropFirst()
    return takenTypes.contains(result) ? result + "Item" : result
  }

  /// The entity that a path or the name of a file speaks of.
  static func entity(of file: String, at path: String?) -> String {
    let last = path?.split(separator: ".").last { $0 != "*" }.map(String.init)
    var url = URL(filePath: file)
    if url.pathExtension == "gz" { url.deletePathExtension() }
    let fileName = url.deletingPathExtension().lastPathComponent
    let names = [last.flatMap { plainLists.contains($0) ? nil : $0 }, fileName, last]
    let entities = names.compactMap { $0 }.map { DraftNames.entity($0) }
    return entities.first(where: DraftNames.isEntity) ?? "Item"
  }

  /// Whether a key says that there is a list, or an object, but not of which kind.
  static func isList(_ key: String) -> Bool { key == "items" || plainLists.contains(key) }

  /// Keys of lists that do not name the kind of their elements.
  private static let plainLists: Set<String> = [
    "$", "data", "value", "results", "children", "edges", "nodes", "node", "records", "rows",
    "list", "content", "entries", "included", "d",
  ]

  /// Whether a list is called like one whose order means something.
  static func isOrderedList(_ word: String) -> Bool { orderedLists.contains(word) }

  private static let orderedLists: Set<String> = [
    "tracks", "items", "lines", "steps", "playlist", "playlists", "sections", "chapters", "slides",
    "stops", "waypoints", "legs", "blocks", "paragraphs", "questions", "stages", "queue", "setlist",
    "rows", "columns",
  ]

  /// Whether a key says where in a list its object stands.
  static func isPosition(_ key: String) -> Bool {
    [
      "position", "pos", "order", "sort_order", "sortOrder", "sort", "index", "idx", "rank", "seq",
      "sequence", "ordinal", "track_number", "trackNumber", "line_number", "lineNumber",
      "display_order", "displayOrder", "order_index", "orderIndex", "orderindex",
    ].contains(key)
  }

  /// Whether the value of a key is most likely a text or another plain one.
  static func soundsPlain(_ key: String) -> Bool {
    let words = Inflection.naturalSnake(key).split(separator: "_").map(String.init)
    return words.last.map(plainWords.contains) ?? false
  }

  private static let plainWords: Set<String> = [
    "at", "on", "date", "time", "timestamp", "until", "since", "id", "uuid", "key", "code", "slug",
    "url", "uri", "href", "link", "path", "name", "login", "username", "title", "subtitle",
    "label", "text", "body", "caption", "description", "summary", "message", "reason", "footer",
    "comment", "note", "bio", "email", "phone", "website", "type", "kind", "status", "state",
    "language", "locale", "currency", "country", "city", "region", "street", "zip", "postcode",
    "gender", "color", "colour", "token", "hash", "version", "nickname", "none",
  ]

  /// The name of a property for a key: letters, digits and underscores, and none that a class of
  /// managed objects has already.
  static func property(_ key: String) -> String {
    let plain = String(key.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    var name = Inflection.camel(plain) ?? plain
    // The first word is written small as a whole: “id_str” is “idStr”.
    if let first = plain.split(separator: "_").first, first.count < plain.count,
      name.lowercased().hasPrefix(first.lowercased())
    {
      name = first.prefix(1) + first.dropFirst().lowercased() + name.dropFirst(first.count)
    }
    name = name.filter { $0 != "_" }
    // A key in capitals is one word.
    if plain.allSatisfy({ !$0.isLowercase }) { name = name.lowercased() }
    guard let first = name.first else { return "value" }
    return first.isNumber ? "value" + name : DraftNames.uncapitalized(name)
  }

  /// The name with a small first letter.
  static func uncapitalized(_ name: String) -> String {
    name.prefix(1).lowercased() + name.dropFirst()
  }

  /// Whether an entity, and a class, can have the name.
  static func isEntity(_ name: String) -> Bool {
    name.first?.isLetter == true
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      && !isTaken(name)
  }

  /// The name for the members of an owner: `noteTags` for `NoteTag`.
  static func plural(_ entity: String) -> String {
    Inflection.plural(DraftNames.uncapitalized(entity))
  }

  /// Whether a property of a class cannot have the name.
  static func isTaken(_ name: String) -> Bool { takenProperties.contains(name) }

  private static let takenProperties: Set<String> = [
    // Of managed objects.
    "objectID", "entity", "entityName", "managedObjectContext", "hasChanges", "isDeleted",
    "isFault",
    "isInserted", "isUpdated", "description", "debugDescription", "hash", "hashValue", "delete",
    "changedValues", "committedValues", "snapshot", "value", "setValue", "export",
    // Of the language.
    "self", "super", "init", "deinit", "class", "struct", "enum", "protocol", "extension", "func",
    "var", "let", "import", "return", "if", "else", "for", "while", "repeat", "do", "switch",
    "case",
    "default", "break", "continue", "fallthrough", "guard", "defer", "throw", "throws", "try",
    "catch", "rethrows", "in", "is", "as", "nil", "true", "false", "any", "some", "where",
    "operator",
    "private", "public", "internal", "fileprivate", "static", "subscript", "typealias",
    "associatedtype", "inout", "precedencegroup",
  ]

  private static let takenTypes: Set<String> = [
    "Data", "Date", "URL", "UUID", "Decimal", "String", "Int", "Int64", "Double", "Bool", "Set",
    "Array", "Dictionary", "Optional", "Result", "Error", "Any", "Type", "Self", "Never", "Void",
    "Character", "Filter", "Fetch", "SortKey", "Sync", "Value", "Attribute", "PrimaryKey", "ToOne",
    "ToMany", "OrderedToMany", "ManagedObject", "DataStack", "JSONValue", "JSONObject", "Progress",
    "Operation", "Task", "Thread", "Timer", "Process", "Notification", "Bundle", "Locale",
    "Calendar", "Range", "Mirror", "Protocol",
  ]
}
