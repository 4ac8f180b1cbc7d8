public import SyncCore

/// Rules for relationships: where nested objects stand, and who says how they are read.
///
/// Nested objects are matched by the identifiers of their own mapping, whoever owns them. A list replaces the members
/// of its owner: those that are not in it leave, or are deleted where the nested mapping deletes what is missing.
/// Null empties the relationship and deletes nothing; a key that is missing leaves it alone. The path has a key: an
/// item is not read again as an object of its own.
extension Rule {
  /// One object, read as the nested source says. An array counts as the one object that is in it.
  public static func toOne(
    _ path: JSONPath, _ nested: @escaping @Sendable () -> any PlanSource
  ) -> Rule {
    Rule(path, .objects(.constant(nested), isToMany: false))
  }

  /// One object, read as a source says that sees the whole item of the parent. The closure is called for every parent
  /// that has a value there, and again when a part of the payload is read again; building the item for it costs more
  /// than the closure does, so use the form without a parameter where it needs none.
  public static func toOne(
    _ path: JSONPath, _ nested: @escaping @Sendable (JSONValue) -> any PlanSource
  ) -> Rule {
    Rule(path, .objects(.perParent(nested), isToMany: false))
  }

  /// A list of objects, read as the nested source says. One object counts as a list of it.
  public static func toMany(
    _ path: JSONPath, _ nested: @escaping @Sendable () -> any PlanSource
  ) -> Rule {
    Rule(path, .objects(.constant(nested), isToMany: true))
  }

  /// A list of objects, read as a source says that sees the whole item of the parent. See `toOne(_:_:)`.
  public static func toMany(
    _ path: JSONPath, _ nested: @escaping @Sendable (JSONValue) -> any PlanSource
  ) -> Rule {
    Rule(path, .objects(.perParent(nested), isToMany: true))
  }
}
