public import SyncCore

/// The members of a to-many relationship in a typed filter: `$0.$notes`.
public struct MemberKeys<Member: ManagedObject> {
  let path: [String]

  // MARK: - For how many

  /// Whether there is a member that a condition means: all of it, for the same member.
  public func any(_ condition: (ObjectKeys<Member>) -> Filter) -> Filter {
    let filter = condition(ObjectKeys())
    guard let node = try? filter.node else { return filter }
    if let comparison = node.comparisonOfMembers(under: path) {
      return Filter(.comparison(comparison))
    }
    do {
      let members = try Filter.subquery(path, where: filter)
      return .compare(.aggregate(.count, members, key: []), .greater, .value(.int(0)))
    } catch {
      return Filter(.failure(error))
    }
  }

  /// Whether a condition means every member; true when there are none.
  public func all(_ condition: (ObjectKeys<Member>) -> Filter) -> Filter {
    !any { !condition($0) }
  }

  /// Whether a condition means no member; true when there are none.
  public func none(_ condition: (ObjectKeys<Member>) -> Filter) -> Filter {
    !any(condition)
  }

  /// Whether the object is a member.
  public func contains(_ member: Member) -> Filter {
    .compare(path, .contains, object: member.objectID)
  }

  // MARK: - Calculated from all

  /// How many members there are.
  public var count: MemberFunctionKey<Int> {
    MemberFunctionKey(function: .count, path: path, key: [])
  }

  /// Whether there are no members.
  public var isEmpty: Filter { count == 0 }

  /// The sum of an attribute of the members; 0 when there are none.
  public func sum<Property: AttributeProperty>(
    _ property: KeyPath<Member, Property>
  ) -> MemberFunctionKey<Property.Wrapped> {
    MemberFunctionKey(function: .sum, path: path, key: [PropertyNames.name(of: property)])
  }

  /// The mean of an attribute of the members; absent when there is no value.
  public func average<Property: AttributeProperty>(
    _ property: KeyPath<Member, Property>
  ) -> MemberFunctionKey<Double?> {
    MemberFunctionKey(function: .average, path: path, key: [PropertyNames.name(of: property)])
  }

  /// The least value of an attribute of the members; absent when there is none.
  public func min<Property: AttributeProperty>(
    _ property: KeyPath<Member, Property>
  ) -> MemberFunctionKey<Property.Wrapped> {
    MemberFunctionKey(function: .min, path: path, key: [PropertyNames.name(of: property)])
  }

  /// The largest value of an attribute of the members; absent when there is none.
  public func max<Property: AttributeProperty>(
    _ property: KeyPath<Member, Property>
  ) -> MemberFunctionKey<Property.Wrapped> {
    MemberFunctionKey(function: .max, path: path, key: [PropertyNames.name(of: property)])
  }
}

/// A value calculated from the members of a to-many relationship: `$0.$notes.count`.
public struct MemberFunctionKey<Compared: ValueConvertible>: FilterKey {
  let function: AggregateFunction
  let path: [String]
  let key: [String]

  public func filter(_ comparison: FilterComparisonKind, _ value: Compared) -> Filter {
    .compare(function, of: path, key: key, comparison.operation, value.storedValue)
  }
}

extension FilterNode {
  /// The node as one comparison for any member of a path, when it is that simple: the store looks
  /// for one member then and does not count them.
  fileprivate func comparisonOfMembers(under path: [String]) -> FilterComparison? {
    guard case .comparison(var comparison) = self, comparison.quantifier == .direct,
      case .path(let inner) = comparison.left, inner.variable == nil
    else { return nil }
    switch comparison.right {
    case .object where comparison.operation == .contains: return nil
    case .value, .values, .range, .object, .objects: break
    default: return nil
    }
    comparison.left = .path(FilterPath(path + inner.keys))
    comparison.quantifier = .any
    return comparison
  }
}
