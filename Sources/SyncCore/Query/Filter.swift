/// Which objects are meant: a condition on their values, in the predicate format people know.
///
/// ```swift
/// Filter("createdAt > %@ AND ANY notes.text CONTAINS[cd] %@", yesterday, "milk")
/// Filter("age BETWEEN {18, 30}") && !Filter("name IN %@", ["Ann", "Bob"])
/// Filter("SUBQUERY(notes, $n, $n.done == true).@count > 1")
/// ```
///
/// Making a filter never fails. A mistake in the text is kept and thrown as a ``FilterError`` when
/// the filter is used; so are keys that the entity does not have and comparisons that make no
/// sense.
///
/// A filter gives the same answer in the store, where it is translated to SQL, and in memory.
///
/// ## Calculating
///
/// `+`, `-`, `*`, `/`, `%%` (remainder), `**` (power), and for bits `&`, `|`, `^`, `~`, `<<`, `>>`:
/// `(flags & %d) != 0`. Functions of one value: `abs()`, `ceiling()`, `floor()`, `trunc()`,
/// `sqrt()`, `lowercase()`, `uppercase()` and `length()`. `now()` is the moment of the fetch, and
/// of live results the moment in which they were made. `CAST(value, 'NSDate')` makes a date of
/// seconds since 2001, `'NSNumber'` those seconds of a date and the number of a text,
/// `'NSDecimalNumber'` a decimal, `'NSString'` a text of a whole number or a decimal.
///
/// ## Variables
///
/// `$name` outside of a SUBQUERY is a place for a value that comes later:
/// ``withSubstitutionVariables(_:)``.
///
/// ## Absent values
///
/// - `key == nil` and `key != nil` ask for absence. `a == b` is true when both are absent.
/// - `a != b` is exactly the opposite of `a == b`: an absent age is different from 5.
/// - All other comparisons are false when one side is absent; put in `NOT`, true.
/// - A path over an absent object is absent. Arithmetic with an absent value is absent.
///
/// ## Paths over to-many relationships
///
/// - `ANY` (`SOME`), `ALL` and `NONE` say for how many members a comparison holds; `ALL` and `NONE`
///   are true when there are none. Without one of them, such a path is an error.
/// - `notes.@count` (`notes[SIZE]`), `@sum`, `@avg`, `@min` and `@max` calculate over all members,
///   however many relationships the path crosses. The sum of nothing is 0, the others of nothing
///   are absent.
public struct Filter: Sendable {
  package let content: Result<FilterNode, FilterError>

  package init(_ node: FilterNode) {
    content = .success(node)
  }

  package init(_ content: Result<FilterNode, FilterError>) {
    self.content = content
  }

  /// Makes a filter from a format text.
  ///
  /// - Parameters:
  ///   - format: the text; `%@` stands for an argument, `%K` for an argument that is a key path,
  ///     `%d`, `%ld`, `%f` and the like for numbers.
  ///   - arguments: values, nil, identifiers, objects, enums with raw values, lists and ranges of
  ///     those.
  public init(_ format: String, _ arguments: Any?...) {
    self.init(format: format, arguments: arguments)
  }

  /// Makes a filter from a format text and a list of arguments.
  public init(format: String, arguments: [Any?]) {
    content = FilterParser.parse(format, arguments: arguments)
  }

  /// All objects.
  public static var `true`: Filter { Filter(.constant(true)) }

  /// No objects.
  public static var `false`: Filter { Filter(.constant(false)) }

  /// The tree.
  ///
  /// - Throws: ``FilterError`` when the text was not a filter.
  package var node: FilterNode {
    get throws(FilterError) { try content.get() }
  }
}

extension Filter: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) {
    self.init(format: value, arguments: [])
  }
}

// MARK: - Combining

extension Filter {
  /// Objects that both filters mean.
  public static func && (left: Filter, right: Filter) -> Filter {
    combine(left, right) { left, right in
      switch (left, right) {
      case (.and(let first), .and(let second)): .and(first + second)
      case (.and(let first), _): .and(first + [right])
      case (_, .and(let second)): .and([left] + second)
      default: .and([left, right])
      }
    }
  }

  /// Objects that at least one of the filters means.
  public static func || (left: Filter, right: Filter) -> Filter {
    combine(left, right) { left, right in
      switch (left, right) {
      case (.or(let first), .or(let second)): .or(first + second)
      case (.or(let first), _): .or(first + [right])
      case (_, .or(let second)): .or([left] + second)
      default: .or([left, right])
      }
    }
  }

  /// Objects that the filter does not mean.
  public static prefix func ! (filter: Filter) -> Filter {
    Filter(filter.content.map { .not($0) })
  }

  /// Objects that all filters mean; all objects when there are no filters.
  public static func all(_ filters: [Filter]) -> Filter {
    guard filters.count != 1 else { return filters[0] }
    return Filter(
      Result { () throws(FilterError) in
        var nodes: [FilterNode] = []
        for filter in filters { nodes.append(try filter.node) }
        return .and(nodes)
      })
  }

  private static func combine(
    _ left: Filter, _ right: Filter, _ body: (FilterNode, FilterNode) -> FilterNode
  ) -> Filter {
    switch (left.content, right.content) {
    case (.failure, _): left
    case (_, .failure): right
    case (.success(let first), .success(let second)): Filter(body(first, second))
    }
  }
}
