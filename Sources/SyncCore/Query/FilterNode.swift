/// The tree of a filter, as it was written: keys are names, nothing is checked against an entity.
///
/// ``FilterResolver`` turns it into a ``ResolvedFilter``, which is evaluated and translated to SQL.
package indirect enum FilterNode: Sendable {
  case constant(Bool)
  case and([FilterNode])
  case or([FilterNode])
  case not(FilterNode)
  case comparison(FilterComparison)
}

/// One comparison of two expressions.
package struct FilterComparison: Sendable {
  package var quantifier: FilterQuantifier
  package var left: FilterExpression
  package var operation: FilterOperation
  package var options: TextOptions
  package var right: FilterExpression
}

/// For how many members of a to-many path a comparison has to hold.
package enum FilterQuantifier: String, Sendable, Hashable {
  /// There is no to-many path.
  case direct = ""
  case any = "ANY"
  case all = "ALL"
  case none = "NONE"
}

/// The question of a comparison.
package enum FilterOperation: String, Sendable, Hashable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  /// The right side is a list of two.
  case between = "BETWEEN"
  /// The right side is a list, a to-many path, or a text that contains the left one.
  case memberOf = "IN"
  case beginsWith = "BEGINSWITH"
  /// Part of a text, or member of a to-many path.
  case contains = "CONTAINS"
  case endsWith = "ENDSWITH"
  case like = "LIKE"
  case matches = "MATCHES"
}

/// Something with a value.
package indirect enum FilterExpression: Sendable {
  case value(Value)
  case object(ManagedObjectID)

  /// A list of constants, as arguments give it; it may be long.
  case values([Value])

  /// A list of objects, as arguments give it.
  case objects([ManagedObjectID])

  /// A list as the text spells it out: `{1, age, 3}`.
  case list([FilterExpression])

  /// Both ends belong to it.
  case range(Value, Value)
  case path(FilterPath)
  case negative(FilterExpression)
  case function(FilterFunction, FilterExpression)

  /// The moment in which the filter is used.
  case now

  /// The value as one of another type: `CAST(seconds, 'NSDate')`.
  case cast(FilterExpression, FilterCast.Target)
  case arithmetic(FilterExpression, ArithmeticOperation, FilterExpression)

  /// `notes.@count`, `notes.@sum.score`, `SUBQUERY(…).@count`: function, collection, key behind it.
  case aggregate(AggregateFunction, FilterExpression, key: [String])

  /// `SUBQUERY(notes, $n, $n.done == true)`.
  case subquery(FilterPath, variable: String, FilterNode)
}

/// A chain of keys, from the object itself or from a variable of a subquery.
package struct FilterPath: Sendable, Hashable {
  /// Name of the variable, without `$`; nil for the object itself.
  package var variable: String?
  package var keys: [String]

  package init(variable: String? = nil, _ keys: [String]) {
    self.variable = variable
    self.keys = keys
  }
}

package enum ArithmeticOperation: String, Sendable, Hashable, CaseIterable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%%"
  case power = "**"
  case bitAnd = "&"
  case bitOr = "|"
  case bitXor = "^"
  case shiftLeft = "<<"
  case shiftRight = ">>"

  /// Whether only whole numbers can be calculated with.
  package var isForWholeNumbers: Bool {
    switch self {
    case .remainder, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight: true
    case .add, .subtract, .multiply, .divide, .power: false
    }
  }
}

/// A value calculated from many values. Values that are nil do not take part, except in a count of
/// objects.
package enum AggregateFunction: String, Sendable, Hashable, CaseIterable {
  case count
  case sum
  case average
  case min
  case max
}
