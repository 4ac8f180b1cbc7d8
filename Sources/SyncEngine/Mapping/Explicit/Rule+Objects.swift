public import SyncCore

/// Rules for relationships: the path of nested objects, and the source that reads them.
///
/// Nested objects are matched by the identifiers of their own mapping, under any owner, unless the
/// model says that keys are unique per owner only (`keyScope: .owner`). A list replaces the members
/// of its owner: those that are not in it leave, or are deleted where the nested mapping deletes
/// missing objects. Null empties the relationship and deletes nothing; a key that is missing leaves
/// it alone. The path has a key: an item is not read again as an object of its own.
extension Rule {
  /// One object, read as the nested source says. An array counts as the one object that is in it.
  public static func toOne(
    _ path: JSONPath, _ nested: @escaping @Sendable () -> any PlanSource
  ) -> Rule {
    Rule(path, .objects(.constant(nested), isToMany: false))
  }

  /// One object, read as a source says that sees the whole item of the parent. The closure is
  /// called for every parent that has a value there, and again when a part of the payload is read
  /// again; building the item for it costs more than the closure does, so use the form without a
  /// parameter where it needs none.
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

  /// A list of objects, read as a source says that sees the whole item of the parent. See
  /// `toOne(_:_:)`.
  public static func toMany(
    _ path: JSONPath, _ nested: @escaping @Sendable (JSONValue) -> any PlanSource
  ) -> Rule {
    Rule(path, .objects(.perParent(nested), isToMany: true))
  }
}

/// When a list is only a part of its owner's members.
enum PartialList: Sendable {
  case always
  /// As the item of the owner says.
  case asked(@Sendable (JSONValue) -> Bool)

  /// Whether a closure says it, which may answer differently the next time.
  var isClosure: Bool {
    if case .asked = self { true } else { false }
  }
}

extension Rule {
  /// The rule of a list that need not be whole: members that it does not mention stay. `null` still
  /// empties it.
  public func isPartial(_ isPartial: Bool = true) -> Rule {
    var rule = self
    rule.partial = isPartial ? .always : nil
    return rule
  }

  /// The rule of a list that is whole or not, as the item of its owner says.
  ///
  /// ```swift
  /// "lines": .toMany(["lines", "data"]) { LineSerializer() }.isPartial { $0["lines"]?["has_more"] == true }
  /// ```
  public func isPartial(_ decide: @escaping @Sendable (JSONValue) -> Bool) -> Rule {
    var rule = self
    rule.partial = .asked(decide)
    return rule
  }
}
