import SyncCore
import SyncEngine

/// What the payload says of attributes and relationships, and what becomes of it.
extension Oracle {
  /// One thing that the payload says of a relationship.
  struct Statement {
    let owner: OracleID
    let relationship: RelationshipDescription
    /// Nil when a key means nobody.
    var members: [OracleID]
    var deletes = false
    var isComplete = true
    var isKnown = true
    /// What has to be allowed so that members who are not listed are deleted.
    var option = SyncOperations.deleteRelationships
  }

  mutating func apply(_ item: OracleItem) {
    guard let id = item.object, item.isActive else { return }
    // A key that is null says nothing about the key of the object that is linked.
    for (name, value) in item.attributes
    where item.key != nil || name != item.entity.primaryKey?.name {
      graph[id].attributes[name] = value.isNull ? Value?.none : value
    }
    let back =
      item.relationship.flatMap { item.owner?.entity.inverse(of: $0) }
      ?? (item.owner == nil ? wayToParent : nil)
    for (relationship, value) in item.toOnes where relationship.name != back?.name {
      var statement = Statement(owner: id, relationship: relationship, members: [])
      switch value {
      case .clear: break
      case .reference(let key):
        statement.members = find(key, relationship, id).map { [$0] } ?? []
        statement.isKnown = !statement.members.isEmpty
      case .object(let child):
        apply(child)
        statement.members = child.object.map { [$0] } ?? []
        statement.isKnown = child.object != nil
      }
      statements.append(statement)
    }
    for (relationship, value) in item.toManys {
      var statement = Statement(owner: id, relationship: relationship, members: [])
      statement.deletes = value.deletes
      statement.isComplete = value.isComplete
      for member in value.members {
        switch member {
        case .key(let key):
          if let id = find(key, relationship, id) { statement.members.append(id) }
        case .object(let child):
          apply(child)
          if let id = child.object { statement.members.append(id) }
        }
      }
      statements.append(statement)
    }
  }

  var wayToParent: RelationshipDescription? {
    guard case .parent(let parent, let relationship) = request.scope else { return nil }
    return stored[parent].entity.inverse(of: relationship)
  }

  /// The object that an identifier means: of several the one that the owner is linked to, else the oldest.
  mutating func find(
    _ key: Value, _ relationship: RelationshipDescription, _ owner: OracleID
  ) -> OracleID? {
    let destination = graph[owner].entity.destination(of: relationship)
    let all = graph.all(destination).filter { graph[$0].key == key }
    let members = owner.isNew ? [] : stored.members(relationship, of: owner)
    let meant = all.first { members.contains($0) } ?? all.first
    claimed.formUnion([all.first, meant].compactMap(\.self))
    return meant
  }

  /// Carries out what was said: of each owner and relationship the last word counts. Objects' own
  /// to-one relationships first, then the lists, which are stronger.
  mutating func link() {
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
    last.reverse()
    for statement in last where !statement.relationship.isToMany && statement.isKnown {
      if let member = statement.members.first {
        graph.link(statement.relationship, of: statement.owner, to: member)
      } else if let old = graph[statement.owner].toOne[statement.relationship.name] {
        graph.unlink(statement.relationship, of: statement.owner, from: old)
      }
    }
    let own = last.filter { !$0.relationship.isToMany && $0.isKnown }
    for statement in last where statement.relationship.kind == .oneToMany {
      // An object that speaks for itself is not taken out of a list that does not mention it.
      let inverse = graph[statement.owner].entity.inverse(of: statement.relationship)
      setMembers(
        statement, keeping: own.filter { $0.relationship.name == inverse?.name }.map(\.owner))
    }
    shareMembers(last.filter { $0.relationship.kind == .manyToMany })
  }

  func wanted(_ statement: Statement) -> [OracleID] {
    statement.members.reduce(into: [OracleID]()) { if !$0.contains($1) { $0.append($1) } }
  }

  mutating func setMembers(_ statement: Statement, keeping own: [OracleID]) {
    let (owner, relationship) = (statement.owner, statement.relationship)
    var wanted = wanted(statement)
    for member in graph.members(relationship, of: owner) where !wanted.contains(member) {
      if !statement.isComplete || own.contains(member)
        || (statement.deletes && !request.operations.contains(statement.option))
        || (statement.deletes && graph[member].key.isNull)
      {
        wanted.append(member)
      } else {
        graph.unlink(relationship, of: owner, from: member)
        if statement.deletes { doomed.insert(member) }
      }
    }
    for member in wanted { graph.link(relationship, of: owner, to: member) }
    if relationship.isOrdered { graph[owner].toMany[relationship.name] = wanted }
  }

  /// Many-to-many: what any list of the payload names is linked, whichever side it stands on.
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
    // Who joins a list from the other side comes to its end, in the order of the rows.
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
