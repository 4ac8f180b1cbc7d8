import SyncCore

/// How the properties of an entity get their values, in the order in which they are filled:
/// attributes first, then relationships.
///
/// ```swift
/// var mapping: Mapping = ["id": .int("id"), "name": .string(["user", "name"])]
/// mapping["name"] = .string("name").whenMissing(.clear)
/// ```
public struct Mapping: Sendable, ExpressibleByDictionaryLiteral {
  private(set) var rules: [(name: String, rule: Rule)]

  /// Makes a mapping without rules.
  public init() { rules = [] }

  /// Takes the rules that single properties have beside the conventions, in alphabetical order.
  init(_ rules: [String: Rule]) {
    self.rules = rules.inKeyOrder.map { (name: $0.key, rule: $0.value) }
  }

  /// The rules by property.
  ///
  /// - Throws: ``MappingError`` when a property has two.
  func byProperty(of entity: EntityDescription) throws -> [String: Rule] {
    var result: [String: Rule] = [:]
    for (name, rule) in rules {
      guard result.updateValue(rule, forKey: name) == nil else {
        throw MappingError.repeatedRule(name, of: entity)
      }
    }
    return result
  }

  /// Takes rules in their order. A property that has two of them is an error when the mapping is
  /// compiled.
  public init(dictionaryLiteral rules: (String, Rule)...) {
    self.rules = rules.map { (name: $0.0, rule: $0.1) }
  }

  /// The rule of a property. A new one comes last.
  ///
  /// - Complexity: O(*n*) in the rules.
  public subscript(property: String) -> Rule? {
    get { rules.first { $0.name == property }?.rule }
    set {
      let place = rules.firstIndex { $0.name == property }
      switch (place, newValue) {
      case (let place?, let rule?): rules[place].rule = rule
      case (let place?, nil): rules.remove(at: place)
      case (nil, let rule?): rules.append((property, rule))
      case (nil, nil): break
      }
    }
  }

  /// Names of the properties that have a rule, in their order.
  package var properties: [String] { rules.map(\.name) }
}
