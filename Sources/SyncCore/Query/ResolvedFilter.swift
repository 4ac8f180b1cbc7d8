/// A filter checked against an entity: keys are slots, constants have the kind of the other side,
/// text options are spelled out. Memory and SQL both work from this tree, so they cannot differ in
/// its meaning.
package struct ResolvedFilter: Sendable {
  package let entity: EntityDescription
  package let node: ResolvedNode
}

/// A condition. Every node is true or false, never unknown.
///
/// Paths start at a *scope*: 0 is the object that is asked about, each ``exists(_:_:)`` and each
/// aggregate adds one scope for its member.
package indirect enum ResolvedNode: Sendable {
  case constant(Bool)
  case and([ResolvedNode])
  case or([ResolvedNode])
  case not(ResolvedNode)

  /// True when both are absent too.
  case equal(ResolvedExpression, ResolvedExpression)

  /// False when one side is absent.
  case ordered(ResolvedExpression, FilterOrder, ResolvedExpression)
  case member(ResolvedExpression, ResolvedList)
  case text(ResolvedExpression, TextOperator, ResolvedExpression)
  case matches(ResolvedExpression, ResolvedExpression, isCaseInsensitive: Bool)

  /// Whether the condition holds for a member of the collection, which is the next scope.
  case exists(ResolvedCollection, ResolvedNode)
}

package enum FilterOrder: String, Sendable, Hashable {
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

package enum TextOperator: Sendable, Hashable {
  case contains, begins, ends, like
}

/// An expression with a value, and the kind by which it is compared.
package struct ResolvedExpression: Sendable {
  package indirect enum Form: Sendable {
    case value(Value)
    case attribute(ResolvedPath, AttributeDescription)
    /// The row number of the object that the path leads to.
    case object(ResolvedPath)
    case arithmetic(ResolvedExpression, ArithmeticOperation, ResolvedExpression)
    case folded(ResolvedExpression, TextOptions)
    case function(FilterFunction, ResolvedExpression)
    case cast(FilterCast, ResolvedExpression)
    /// Over the members for which the condition holds; the members are the next scope.
    case aggregate(AggregateFunction, ResolvedCollection, ResolvedNode?, ResolvedExpression?)
    /// A column of the answer, in conditions on groups.
    case column(Int)
  }

  package var form: Form
  package var kind: FilterKind

  package init(_ form: Form, _ kind: FilterKind) {
    self.form = form
    self.kind = kind
  }

  init(_ value: Value) {
    self.init(.value(value), FilterKind(value))
  }

  /// The value of a constant; nil for everything else.
  package var constant: Value? {
    if case .value(let value) = form { value } else { nil }
  }
}

/// To-one relationships from an object on.
package struct ResolvedPath: Sendable {
  package var scope: Int
  package var hops: [ResolvedHop]

  package init(scope: Int, hops: [ResolvedHop]) {
    self.scope = scope
    self.hops = hops
  }
}

/// One relationship of a path, and the entity it is a property of there.
package struct ResolvedHop: Sendable {
  package let relationship: RelationshipDescription
  package let owner: EntityDescription

  package var destination: EntityDescription { owner.destination(of: relationship) }
}

/// All objects at the end of a path whose last relationship is to-many. An object that is reached
/// in several ways is there several times.
package struct ResolvedCollection: Sendable {
  package let scope: Int
  package let hops: [ResolvedHop]
  package let entity: EntityDescription
}

/// A property that filters, orders or columns read.
package enum ResolvedMention {
  case attribute(ResolvedPath, AttributeDescription)
  case object(ResolvedPath)
  /// The mentions up to the end are about the members.
  case members(ResolvedCollection)
  case endOfMembers
}

extension ResolvedNode {
  /// Visits everything that the tree looks at, from left to right.
  package func forEachMention(_ body: (ResolvedMention) -> Void) {
    switch self {
    case .constant: break
    case .and(let nodes), .or(let nodes):
      for node in nodes { node.forEachMention(body) }
    case .not(let node): node.forEachMention(body)
    case .equal(let left, let right), .ordered(let left, _, let right),
      .text(let left, _, let right), .matches(let left, let right, _):
      left.forEachMention(body)
      right.forEachMention(body)
    case .member(let expression, _): expression.forEachMention(body)
    case .exists(let collection, let node):
      body(.members(collection))
      node.forEachMention(body)
      body(.endOfMembers)
    }
  }
}

extension ResolvedExpression {
  /// Visits everything that the expression looks at, from left to right.
  package func forEachMention(_ body: (ResolvedMention) -> Void) {
    switch form {
    case .value, .column: break
    case .attribute(let path, let attribute): body(.attribute(path, attribute))
    case .object(let path): body(.object(path))
    case .arithmetic(let left, _, let right):
      left.forEachMention(body)
      right.forEachMention(body)
    case .folded(let operand, _), .function(_, let operand), .cast(_, let operand):
      operand.forEachMention(body)
    case .aggregate(_, let collection, let condition, let argument):
      body(.members(collection))
      condition?.forEachMention(body)
      argument?.forEachMention(body)
      body(.endOfMembers)
    }
  }
}

/// The constants of `IN`, fitted to the kind of the left side.
package struct ResolvedList: Sendable {
  /// Without repetitions and without nil, ascending.
  package let values: [Value]
  package let containsNull: Bool
  private let set: Set<Value>

  init(_ values: [Value]) {
    set = Set(values.filter { !$0.isNull })
    containsNull = values.contains(where: \.isNull)
    self.values = set.sorted()
  }

  package func contains(_ value: Value) -> Bool {
    value.isNull ? containsNull : set.contains(value)
  }
}
