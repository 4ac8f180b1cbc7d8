import SyncStack

/// The values and relations that the items of a part give their objects.
extension Oracle {
  /// One thing that a part says of a relationship of an object.
  struct Statement {
    let place: OraclePlace
    /// The objects that it leads to, each once.
    var members: [OracleID] = []
    /// References to objects that are not there.
    var missing: [Reference] = []
    /// Whether members that are not listed are deleted, and by which option.
    var deletes = false
    var option = SyncOperations.deleteRelationships
    var isComplete = true
  }

  /// A reference whose object may come with a later part.
  struct Reference {
    let place: OraclePlace
    let key: Value
    /// The position in the list.
    let position: Int
    /// Whether it is not meant to lead to the object of its key: a nested object that might not be
    /// made, though another one of its key was there.
    let isRefused: Bool
  }

  // MARK: - Statements

  /// Gives an object the values of an item, and notes the statements of the item and those below.
  mutating func write(_ item: OracleItem) {
    guard let id = item.object, item.isWritten, item.same == nil || mayJoin else { return }
    for (name, value) in item.values {
      graph[id].attributes[name] = value.isNull ? Value?.none : value
    }
    for relation in item.relations {
      var statement = Statement(place: OraclePlace(id, relation.relationship))
      (statement.deletes, statement.isComplete) = (relation.deletes, relation.isComplete)
      for (position, element) in relation.elements.enumerated() {
        add(element, position, to: &statement)
      }
      statement.members = statement.members.unique
      statements.append(statement)
    }
  }

  private mutating func add(
    _ element: OracleItem.Element, _ position: Int, to statement: inout Statement
  ) {
    let place = statement.place
    let (key, object): (Value?, OracleID?)
    var isRefused = false
    switch element {
    case .key(let reference):
      (key, object) = (reference, find(reference, place))
    case .item(let child):
      write(child)
      (key, object) = (child.key, child.object)
      isRefused =
        place.relationship.keysAreOwners
        || key.map { !before.all(child.entity, key: $0).isEmpty } ?? false
    }
    if let object {
      statement.members.append(object)
    } else if let key {
      statement.missing.append(
        Reference(place: place, key: key, position: position, isRefused: isRefused))
    }
  }

  /// The object that a key means: of several the one that the owner is linked to, else the oldest.
  private mutating func find(_ key: Value, _ place: OraclePlace) -> OracleID? {
    let all = graph.all(graph.destination(place), key: key)
    let meant = all.first(where: before.members(place).contains) ?? all.first
    mentioned.formUnion([all.first, meant].compactMap(\.self))
    return meant
  }

  /// Notes that the items of a part are the given parent's list, or a piece of it.
  mutating func listChildren(_ tops: [OracleItem]) {
    guard let parentPlace else { return }
    statements.append(
      Statement(
        place: parentPlace, members: tops.compactMap(\.object).unique, deletes: true,
        option: .delete, isComplete: isComplete && !isInParts))
  }

  /// Of each owner and relationship the last word of the part.
  private func lastStatements() -> [Statement] {
    var last: [Statement] = []
    for statement in statements.reversed() {
      if let later = last.firstIndex(where: { $0.place == statement.place }) {
        // A list with a key that cannot be read takes nothing away, whatever another one says.
        if !statement.isComplete { last[later].isComplete = false }
      } else {
        last.append(statement)
      }
    }
    return last.reversed()
  }

  // MARK: - Links

  /// Carries out the statements. Objects' own to-one relationships first, then the lists, which are
  /// stronger.
  mutating func link() {
    let last = lastStatements()
    for statement in last {
      // A reference that is given again replaces those that waited there.
      if statement.option != .delete { waiting.removeAll { $0.place == statement.place } }
      waiting += statement.missing
    }
    let toOnes = last.filter { !$0.place.relationship.isToMany && $0.missing.isEmpty }
    for statement in toOnes {
      if let object = statement.members.first {
        graph.link(statement.place, to: object)
      } else {
        graph.unlinkAll(statement.place)
      }
    }
    for statement in last where statement.place.relationship.kind == .oneToMany {
      setMembers(statement, toOnes)
    }
    shareMembers(last.filter { $0.place.relationship.kind == .manyToMany })
    // Nested members count as their owner's in later parts, also where an identifier moved them.
    for item in items where item.isOwned {
      guard let object = item.object, let relationship = item.relationship else { continue }
      if last.contains(where: { $0.place == item.place && $0.members.contains(object) }) {
        listed.insert(OraclePlace(object, relationship))
      }
    }
  }

  /// One-to-many: the owner gets the members, and those that it had are left out if they may be.
  private mutating func setMembers(_ statement: Statement, _ toOnes: [Statement]) {
    let place = statement.place
    func own(_ member: OracleID) -> OraclePlace? {
      graph.inverse(place).map { OraclePlace(member, $0) }
    }
    var members = statement.members
    for member in members {
      leftOut[OraclePlace(member, place.relationship)] = nil
      // A member that is listed does not wait for another owner.
      waiting.removeAll { $0.place == own(member) }
    }
    for member in graph.members(place) where !members.contains(member) {
      // An object that speaks for itself is not taken out of a list that does not mention it.
      let isKept =
        !statement.isComplete || toOnes.contains { $0.place == own(member) }
        || statement.deletes
          && (!payload.operations.contains(statement.option) || graph[member].key.isNull)
      if !isKept, !statement.deletes || items.contains(where: { $0.object == member }) {
        graph.unlink(place, from: member)
        continue
      }
      members.append(member)
      // A later part may mention it: the end decides.
      if !isKept { leftOut[OraclePlace(member, place.relationship)] = place.object }
    }
    for member in members { graph.link(place, to: member) }
    graph.arrange(place, as: members)
  }

  /// Many-to-many: a member that any list of the part names is linked, whichever side it stands on.
  private mutating func shareMembers(_ statements: [Statement]) {
    for statement in statements
    where statement.isComplete
      && (statement.option != .delete || payload.operations.contains(.delete))
    {
      let place = statement.place
      for member in graph.members(place) where !statement.members.contains(member) {
        let back = graph.inverse(place).map { OraclePlace(member, $0) }
        let isNamed = statements.contains { $0.place == back && $0.members.contains(place.object) }
        if !isNamed { graph.unlink(place, from: member) }
      }
    }
    // A member that joins a list from the other side comes to its end, in the order of the rows.
    for statement in statements.sorted(by: { $0.place.object < $1.place.object }) {
      for member in statement.members { graph.link(statement.place, to: member) }
    }
    for statement in statements { graph.arrange(statement.place, as: statement.members) }
  }
}
