/// An error in a filter, a sort key or a fetch, and its place.
public struct FilterError: Error, Sendable, Hashable {
  /// The kind of an error: thrown when a filter is resolved against an entity, mostly by the fetch,
  /// and nothing was read. Correct the text; the message tells the possible words.
  public enum Code: String, Sendable, Hashable, Codable {
    /// The text is not a filter: see ``FilterError/position`` and ``FilterError/expected``.
    case syntax
    /// An argument is missing, left over, or of a type that its specifier does not take. Pass one
    /// for each specifier.
    case argument
    /// A key path names something that the entity does not have. The message names the nearest.
    case unknownKey
    /// Two things are compared or calculated with that have no common measure. Compare values of
    /// one type.
    case typeMismatch
    /// A path over a to-many relationship stands where one value is needed. Put `ANY`, `ALL` or
    /// `NONE` before it, or ask for `@count`.
    case toManyPath
    /// Part of the predicate language that is left out on purpose. The message says how to ask for
    /// it otherwise.
    case unsupported
    /// A pattern of `MATCHES` is not a regular expression. Mend the pattern.
    case invalidPattern
    /// A sum does not fit into 64 bits. Sum numbers with fractions, or fewer objects.
    case overflow
    /// The filter needs more than SQLite can do in one statement: too many relationships on its
    /// paths, too many nested subqueries, or too many values. Ask in several steps.
    case tooLarge
  }

  /// The kind of the error.
  public let code: Code

  /// Where in ``text`` the mistake is, counted in characters from 0; nil when it is not in one
  /// place.
  public let position: Int?

  /// The words that could have stood there; nil when that is not the point.
  public let expected: String?

  /// The text of the filter or the sort key.
  public let text: String?
  /// Name of the entity that is asked for; nil before it is known.
  public let entity: String?
  /// The key path it is about; nil where it is about none.
  public let key: String?

  /// A sentence that tells the error and its remedy.
  public let message: String

  package init(
    _ code: Code, position: Int? = nil, expected: String? = nil, text: String? = nil,
    entity: String? = nil, key: String? = nil, message: String
  ) {
    self.code = code
    self.position = position
    self.expected = expected
    self.text = text
    self.entity = entity
    self.key = key
    self.message = message
  }

  /// A key that no store has, so that no statement can ask for it.
  package static func transient(_ key: String, of entity: EntityDescription) -> FilterError {
    FilterError(
      .unsupported, entity: entity.name, key: key,
      message: "“\(key)” of \(entity.name) is transient and not in the store. "
        + "Fetch without it and filter the objects in memory.")
  }

  /// The same error, with the text it is about.
  package func about(_ text: String) -> FilterError {
    FilterError(
      code, position: position, expected: expected, text: self.text ?? text, entity: entity,
      key: key, message: message)
  }
}

extension FilterError: ExplainedError {
  public var description: String {
    guard let text else { return message }
    guard let position else { return "\(message) (in “\(text)”)" }
    return "\(message) (at position \(position) of “\(text)”)"
  }
}
