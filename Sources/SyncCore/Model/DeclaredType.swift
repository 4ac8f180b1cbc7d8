import Foundation

/// The Swift type that a program declares for an attribute, as far as it decides which stored
/// values can be read: an enum takes a few texts only, `Int16` not every number of a JSON document.
package struct DeclaredType: Sendable {
  /// The type without its optional, as messages name it.
  package let name: String

  /// Whether a program that reads nothing has nothing to show: the type is no optional, and there
  /// is no default.
  package var needsValue: Bool

  /// Whether every value of an attribute of a type can be read, so that nothing needs to be
  /// checked.
  package let takesEveryValue: @Sendable (AttributeType) -> Bool

  /// Whether a stored value can be read, by the transformer's object for it; without one that is
  /// the value itself.
  let takes: @Sendable (_ stored: Value, _ shown: Any?) -> Bool

  /// A type that is made of the stored value.
  package init<Wrapped: ValueConvertible>(_ type: Wrapped.Type, hasDefault: Bool) {
    name = "\(type.plainType)"
    needsValue = !hasDefault && !Wrapped.isOptionalValue
    takesEveryValue = { Wrapped.takesEveryValue(of: $0) }
    takes = { stored, _ in Wrapped.converted(from: stored) != nil }
  }

  /// A type that a transformer makes of the stored value.
  package init<Wrapped>(transformed type: Wrapped.Type, hasDefault: Bool) {
    needsValue = !hasDefault && !(type is any OptionalType.Type)
    name = "\((type as? any OptionalType.Type)?.wrappedType ?? type)"
    takesEveryValue = { _ in false }
    takes = { _, shown in shown is Wrapped }
  }
}

/// The types that a program declares, by attribute. Which ones there are may change while it runs:
/// classes are found when they are first mentioned.
package struct DeclaredTypes: Sendable {
  private let number: @Sendable () -> Int
  private let types: @Sendable (EntityDescription) -> [Int: [DeclaredType]]

  /// - Parameters:
  ///   - generation: A number that grows when there are other types than before.
  ///   - types: The types of an entity's attributes by slot; only those that do not take every
  ///     value.
  package init(
    generation: @escaping @Sendable () -> Int,
    types: @escaping @Sendable (EntityDescription) -> [Int: [DeclaredType]]
  ) {
    number = generation
    self.types = types
  }

  /// No program, no types: every value of an attribute is as good as another.
  package static let none = DeclaredTypes {
    0
  } types: { _ in
    [:]
  }

  /// A number that grows when there are other types than before.
  package var generation: Int { number() }

  /// The types of an entity's attributes by slot; only those that do not take every value, or not
  /// that there is none.
  package func types(of entity: EntityDescription) -> [Int: [DeclaredType]] { types(entity) }
}

extension ValueConvertible {
  /// The type without its optional.
  fileprivate static var plainType: Any.Type {
    (self as? any OptionalType.Type)?.wrappedType ?? self
  }

  /// Whether every value of an attribute of that type is one of this type.
  fileprivate static func takesEveryValue(of type: AttributeType) -> Bool {
    let total: [Any.Type]
    switch type {
    case .integer16, .integer32, .integer64:
      // `Int` has 32 bits on some systems.
      let wide: [Any.Type] = Int.max == Int64.max ? [Int.self] : []
      total = wide + [Int64.self, Double.self, Float.self, Decimal.self]
    case .double, .float: total = [Double.self, Float.self]
    case .decimal: total = [Decimal.self, Double.self, Float.self]
    case .string: total = [String.self]
    case .boolean: total = [Bool.self]
    case .date: total = [Date.self]
    case .binary: total = [Data.self]
    case .uuid: total = [UUID.self, String.self]
    case .uri: total = [URL.self, String.self]
    case .transformable: total = []
    }
    let plain = plainType
    return plain == Value.self || total.contains { $0 == plain }
  }

  /// The optional without value; nil when the type is no optional.
  package static var absentValue: Self? { isOptionalValue ? converted(from: .null) : nil }
}

/// Optionals, told from other types at run time.
package protocol OptionalType {
  /// The type that the optional may hold a value of.
  static var wrappedType: Any.Type { get }

  /// The optional without value.
  static var absent: Any { get }
}

extension Optional: OptionalType {
  package static var wrappedType: Any.Type { Wrapped.self }
  package static var absent: Any { Self.none as Any }
}
