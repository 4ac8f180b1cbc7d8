package import Foundation

/// A key path, walked through the model.
struct PathWalk {
  let scope: Int
  let start: EntityDescription
  var hops: [ResolvedHop] = []

  /// The attribute at the end; nil when the path ends at an object.
  var attribute: AttributeDescription?

  var entity: EntityDescription { hops.last?.destination ?? start }
  var isToMany: Bool { hops.contains { $0.relationship.isToMany } }

  /// Whether the path ends with a to-many relationship.
  var restIsEmpty: Bool { attribute == nil && hops.last?.relationship.isToMany == true }

  /// The end of a path without to-many relationships.
  var expression: ResolvedExpression { expression(ResolvedPath(scope: scope, hops: hops)) }

  private func expression(_ path: ResolvedPath) -> ResolvedExpression {
    if let attribute {
      return ResolvedExpression(.attribute(path, attribute), FilterKind(attribute.type))
    }
    return ResolvedExpression(.object(path), .object(root: entity.rootIndex))
  }

  /// The collection up to the last to-many relationship, and the rest of the path from a member.
  ///
  /// - Parameter scope: the scope that the members will be.
  func split(scope memberScope: Int) -> (ResolvedCollection, ResolvedExpression) {
    let end = (hops.lastIndex { $0.relationship.isToMany } ?? -1) + 1
    let crossed = Array(hops[..<end])
    let collection = ResolvedCollection(
      scope: scope, hops: crossed, entity: crossed.last?.destination ?? start)
    return (collection, expression(ResolvedPath(scope: memberScope, hops: Array(hops[end...]))))
  }
}

extension FilterResolver {
  /// Walks a path from the object or from a variable.
  func walk(_ path: FilterPath) throws(FilterError) -> PathWalk {
    guard let variable = path.variable else { return try walk(keys: path.keys, from: 0) }
    guard let scope = scopes.lastIndex(where: { $0.variable == variable }) else {
      throw FilterError(
        .unknownKey, key: "$" + variable,
        message: "The variable “$\(variable)” has no value. Give it one with "
          + "withSubstitutionVariables(_:), or pass the value as an argument (%@).")
    }
    return try walk(keys: path.keys, from: scope)
  }

  /// Walks keys from the object of a scope.
  func walk(keys: [String], from scope: Int) throws(FilterError) -> PathWalk {
    var walk = PathWalk(scope: scope, start: scopes[scope].entity)
    for (index, key) in keys.enumerated() {
      let entity = walk.entity
      guard let property = entity.property(named: key) else { throw unknownKey(key, in: entity) }
      if property.isTransient { throw FilterError.transient(key, of: entity) }
      switch property {
      case .relationship(let relationship):
        walk.hops.append(ResolvedHop(relationship: relationship, owner: entity))
      case .attribute(let attribute):
        guard index == keys.count - 1 else {
          throw FilterError(
            .unknownKey, entity: entity.name, key: keys[index + 1],
            message:
              "“\(key)” of \(entity.name) is an attribute; “\(keys[index + 1])” cannot follow.")
        }
        walk.attribute = attribute
      }
    }
    return walk
  }

  private func unknownKey(_ key: String, in entity: EntityDescription) -> FilterError {
    let names = entity.properties.map(\.name).sorted()
    let known = names.joined(separator: ", ")
    let near = Spelling.nearest(to: key, in: names).map { " Did you mean “\($0)”?" } ?? ""
    return FilterError(
      .unknownKey, expected: known, entity: entity.name, key: key,
      message:
        "\(entity.name) has no key “\(key)”.\(near) It has \(known.isEmpty ? "no keys" : known).")
  }

  /// A column of an answer, for conditions on groups.
  func column(_ path: FilterPath) throws(FilterError) -> ResolvedExpression {
    let columns = columns ?? []
    let name = path.keys.joined(separator: ".")
    guard let index = columns.firstIndex(where: { $0.name == name }) else {
      let known = columns.map(\.name).joined(separator: ", ")
      throw FilterError(
        .unknownKey, expected: known, entity: scopes[0].entity.name, key: name,
        message: "The answer has no column “\(name)”. It has \(known).")
    }
    return ResolvedExpression(.column(index), columns[index].kind)
  }
}

extension Filter {
  /// Checks the filter against an entity.
  ///
  /// - Parameter now: the moment of `now()`.
  /// - Throws: ``FilterError`` for a mistake in the text, an unknown key, or sides that do not
  ///   compare.
  package func resolved(
    for entity: EntityDescription, now: Date = Date()
  ) throws(FilterError) -> ResolvedFilter {
    var resolver = FilterResolver(entity: entity, now: now)
    return ResolvedFilter(entity: entity, node: try resolver.resolve(node))
  }

  /// Checks the filter against an entity, and returns it when it can be used there.
  ///
  /// - Throws: ``FilterError`` as a fetch with the filter would.
  @discardableResult
  public func validated(for entity: EntityDescription) throws(FilterError) -> Filter {
    _ = try resolved(for: entity)
    return self
  }
}
