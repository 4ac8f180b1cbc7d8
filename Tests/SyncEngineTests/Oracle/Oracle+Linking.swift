import SyncStack

/// The statements of a part about attributes and relationships, and their effects.
extension Oracle {
  /// One thing that the payload says of a relationship.
  struct Statement {
    let owner: OracleID
    let relationship: RelationshipDescription
    var members: [OracleID] = []
    /// Keys that no object has, with their places in the list.
    var missing: [Missing] = []
    var deletes = false
    var isComplete = true
    /// The option that has to be allowed so that members that are not listed are deleted.
    var option = SyncOperations.deleteRelationships
  }

  struct Missing {
    let key: Value
    let place: Int
    /// Whether the object is nested, and whether there was one of its key that was not meant.
    var isNested = false
    var isRefused = false
  }

  /// A key whose object may come with a later part.
  struct Waiting {
    let owner: OracleID
    let relationship: RelationshipDescription
    let missing: Missing
  }

  mutating func apply(_ item: OracleItem) {
    let isJoined = item.same != nil
    guard let id = item.object, (item.same ?? item).isActive, !isJoined || mayLay else { return }
    // A key that is null says nothing about the key of the object that is linked.
    for (name, value) in item.attributes
    where item.key != nil || name != item.entity.primaryKey?.name {
      graph[id].attributes[name] = value.isNull ? Value?.none : value
    }
    let back =
      item.relationship.flatMap { item.owner?.entity.inverse(of: $0) }
      ?? (item.owner == nil ? wayToParent : nil)
    for (relationship, value) in item.toOnes where relationship.name != back?.name {
      var statement = Statement(owner: id, relationship: relationship)
      switch value {
      case .clear: break
      case .reference(let key): add(key, 0, to: &statement)
      case .object(let child): add(child, 0, to: &statement)
      }
      statements.append(statement)
    }
    for (relationship, value) in item.toManys {
      var statement = Statement(owner: id, relationship: relationship)
      statement.deletes = value.deletes
      statement.isComplete = value.isComplete
      for (place, member) in value.members.enumerated() {
        switch member {
        case .key(let key): add(key, place, to: &statement)
        case .object(let child): add(child, place, to: &statement)
        }
      }
      statements.append(statement)
    }
  }

  private mutating func add(_ key: Value, _ place: Int, to statement: inout Statement) {
    if let id = find(key, statement.relationship, statement.owner) {
      statement.members.append(id)
    } else {
      statement.missing.append(Missing(key: key, place: place))
    }
  }

  private mutating func add(_ child: OracleItem, _ place: Int, to statement: inout Statement) {
    apply(child)
    if let id = child.object {
      statement.members.append(id)
    } else if let key = child.key {
      statement.missing.append(
        Missing(
          key: key, place: place, isNested: true,
          isRefused: before.all(child.entity).contains { before[$0].key == key }))
    }
  }

  var wayToParent: RelationshipDescription? {
    guard case .parent(let parent, let relationship) = request.scope else { return nil }
    return stored[parent].entity.inverse(of: relationship)
  }

  /// The object that an identifier means: of several the one that the owner is linked to, else the
  /// oldest.
  mutating func find(
    _ key: Value, _ relationship: RelationshipDescription, _ owner: OracleID
  ) -> OracleID? {
    let destination = graph[owner].entity.destination(of: relationship)
    let all = graph.all(destination).filter { graph[$0].key == key }
    let members = new.contains(owner) ? [] : before.members(relationship, of: owner)
    let meant = all.first { members.contains($0) } ?? all.first
    mentioned.formUnion([all.first, meant].compactMap(\.self))
    return meant
  }

  /// Of each owner and relationship the last word of the part.
  private func lastStatements() -> [Statement] {
    var last: [Statement] = []
    for statement in statements.reversed() {
      if let position = last.firstIndex(where: {
        $0.owner == statement.owner && $0.relationship.name == statement.relationship.name
      }) {
        // A list with a key that cannot be read takes nothing away, whatever another one says.
        if !statement.isComplete { last[position].isComplete = false }
      } else {
        last.append(statement)
      }
    }
    return last.reversed()
  }

  /// Carries out the statements. Objects' own to-one relationships first, then the lists, which are
  /// stronger.
  mutating func link() {
    let last = lastStatements()
    for statement in last {
      // A reference that is given again replaces those that waited there.
      waiting.removeAll {
        $0.owner == statement.owner && $0.relationship.name == statement.relationship.name
          && statement.option != .delete
      }
    }
    for statement in last {
      waiting += statement.missing.map {
        Waiting(owner: statement.owner, relationship: statement.relationship, missing: $0)
      }
    }
    let own = last.filter { !$0.relationship.isToMany && $0.missing.isEmpty }
    for statement in own {
      if let member = statement.members.first {
        graph.link(statement.relationship, of: statement.owner, to: member)
      } else if let old = graph[statement.owner].toOne[statement.relationship.name] {
        graph.unlink(statement.relationship, of: statement.owner, from: old)
      }
    }
    for statement in last where statement.relationship.kind == .oneToMany {
      // An object that speaks for itself is not taken out of a list that does not mention it.
      let inverse = graph[statement.owner].entity.inverse(of: statement.relationship)
      setMembers(
        statement, keeping: own.filter { $0.relationship.name == inverse?.name }.map(\.owner))
    }
    shareMembers(last.filter { $0.relationship.kind == .manyToMany })
    // Nested members count as their owner's in later parts, also where an identifier moved them.
    for item in items {
      guard let object = item.object, let (owner, relationship) = list(item) else { continue }
      let isLast = last.contains {
        $0.owner == owner && $0.relationship.name == relationship.name
          && $0.members.contains(object)
      }
      if isLast { listed.insert(Membership(object, relationship)) }
    }
  }

  func wanted(_ statement: Statement) -> [OracleID] {
    statement.members.reduce(into: [OracleID]()) { if !$0.contains($1) { $0.append($1) } }
  }

  mutating func setMembers(_ statement: Statement, keeping own: [OracleID]) {
    let (owner, relationship) = (statement.owner, statement.relationship)
    var wanted = wanted(statement)
    let inverse = graph[owner].entity.inverse(of: relationship)
    for member in wanted {
      leftOut[Membership(member, relationship)] = nil
      // A member that is listed does not wait for another owner.
      waiting.removeAll { $0.owner == member && $0.relationship.name == inverse?.name }
    }
    for member in graph.members(relationship, of: owner) where !wanted.contains(member) {
      if !statement.isComplete || own.contains(member)
        || (statement.deletes && !request.operations.contains(statement.option))
        || (statement.deletes && graph[member].key.isNull)
      {
        wanted.append(member)
      } else if statement.deletes && !decided.contains(member) {
        // Another item may mention it.
        leftOut[Membership(member, relationship)] = owner
        wanted.append(member)
      } else {
        graph.unlink(relationship, of: owner, from: member)
      }
    }
    for member in wanted { graph.link(relationship, of: owner, to: member) }
    if relationship.isOrdered { graph[owner].toMany[relationship.name] = wanted }
  }

  /// Many-to-many: a member that any list of the payload names is linked, whichever side it stands
  /// on.
  mutating func shareMembers(_ statements: [Statement]) {
    func names(_ owner: OracleID, _ name: String?, _ member: OracleID) -> Bool {
      statements.contains {
        $0.owner == owner && $0.relationship.name == name && wanted($0).contains(member)
      }
    }
    for statement in statements
    where statement.isComplete
      && (statement.option != .delete || request.operations.contains(.delete))
    {
      let (owner, relationship) = (statement.owner, statement.relationship)
      let inverse = graph[owner].entity.inverse(of: relationship)
      for member in graph.members(relationship, of: owner)
      where !wanted(statement).contains(member) && !names(member, inverse?.name, owner) {
        graph.unlink(relationship, of: owner, from: member)
      }
    }
    // A member that joins a list from the other side comes to its end, in the order of the rows.
    for statement in statements.sorted(by: { $0.owner < $1.owner }) {
      for member in wanted(statement) {
        graph.link(statement.relationship, of: statement.owner, to: member)
      }
    }
    for statement in statements where statement.relationship.isOrdered {
      let first = wanted(statement)
      let rest = graph.members(statement.relationship, of: statement.owner)
        .filter { !first.contains($0) }
      graph[statement.owner].toMany[statement.relationship.name] = first + rest
    }
  }
}
