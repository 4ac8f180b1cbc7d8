/// How the properties of one entity are filled where the conventions do not fit.
///
/// ```swift
/// try stack.mapping(for: User.self) { mapping in
///   mapping["joinedAt"] = .unixTime(["meta", "joined"])
///   mapping["email"] = .string(["contacts", 0, "address"])
/// }
/// ```
public struct EntityMapping: Sendable {
  private(set) var rules: [String: Rule]

  init(rules: [String: Rule]) {
    self.rules = rules
  }

  /// The rule of a property; nil lets the conventions fill it.
  ///
  /// A rule takes the place of every key that the conventions would look at.
  public subscript(property: String) -> Rule? {
    get { rules[property] }
    set { rules[property] = newValue }
  }

  /// Names of the properties that have a rule, in alphabetical order.
  package var attributes: [String] { rules.keys.sorted() }
}
