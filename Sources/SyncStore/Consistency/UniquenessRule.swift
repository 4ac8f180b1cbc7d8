import SyncCore

/// Values that the model says are unique occur once. Nobody but the program can say which of two objects is
/// the right one.
struct UniquenessRule: ConsistencyRule {
  let kind = ConsistencyProblem.Kind.keys

  func problems(_ reader: StoreReader) throws -> [ConsistencyProblem] {
    var result: [ConsistencyProblem] = []
    for entity in reader.layout.entities {
      for constraint in entity.entity.uniquenessConstraints {
        let columns = constraint.compactMap { name in
          entity.entity.property(named: name).flatMap { entity.column($0.slot)?.quoted }
        }
        guard columns.count == constraint.count, !columns.isEmpty else { continue }
        let conditions =
          columns.map { "\($0) IS NOT NULL" } + [entity.entityCondition()].compactMap { $0 }
        let found = try reader.look(
          "SELECT min(_row) FROM \(entity.table.quoted) "
            + "WHERE \(conditions.joined(separator: " AND ")) "
            + "GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1")
        guard found.count > 0 else { continue }
        let names = constraint.joined(separator: " and ")
        result.append(
          ConsistencyProblem(
            kind, entity.table.identifier.name, property: "\(entity.entity.name).\(names)",
            count: found.count, examples: found.examples, isRepairable: false,
            "the model says it is unique, and several objects have the same. Change or delete all but "
              + "one of them"))
      }
    }
    return result
  }
}
