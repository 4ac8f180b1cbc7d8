import SyncCore

/// What a batch added to the memory of those before it.
extension PartMemory {
  /// How much the memory held when it was kept last. The sets share what did not change since.
  struct Mark {
    fileprivate var roots: [[Int: RowSet]]
    fileprivate var relationships: [[Relationship: RowSet]]
    fileprivate var log: StatementLog.Mark
  }

  struct Growth: Codable {
    fileprivate var roots: [[Int: RowSet.Growth]]
    fileprivate var relationships: [[Relationship: RowSet.Growth]]
    fileprivate var lost: [Relationship: RowNumbers.Growth]
    fileprivate var log: StatementLog.Growth
  }

  /// The sets by root entity and by relationship; nothing is ever taken out of them.
  private static var roots: [WritableKeyPath<PartMemory, [Int: RowSet]>] {
    [\.inserted, \.written, \.writtenAgain, \.described]
  }

  private static var relationships: [WritableKeyPath<PartMemory, [Relationship: RowSet]>] {
    [
      \.spoken, \.named, \.relisted, \.contested, \.changed, \.changedAgain, \.paired,
      \.pairedAgain, \.ordered, \.orderedAgain, \.countedOwners,
    ]
  }

  /// Notes that everything so far is kept.
  mutating func takeMark() -> Mark {
    lost?.mark()
    return Mark(
      roots: PartMemory.roots.map { self[keyPath: $0] },
      relationships: PartMemory.relationships.map { self[keyPath: $0] }, log: log.mark)
  }

  /// - Complexity: O(*n*) in what was added.
  func growth(since mark: Mark) -> Growth {
    Growth(
      roots: zip(PartMemory.roots, mark.roots).map { self[keyPath: $0].growth(since: $1) },
      relationships: zip(PartMemory.relationships, mark.relationships).map {
        self[keyPath: $0].growth(since: $1)
      },
      lost: lost?.compactMapValues(\.growth) ?? [:], log: log.growth(since: mark.log))
  }

  mutating func add(_ growth: Growth) {
    for (path, sets) in zip(PartMemory.roots, growth.roots) { self[keyPath: path].add(sets) }
    for (path, sets) in zip(PartMemory.relationships, growth.relationships) {
      self[keyPath: path].add(sets)
    }
    if !growth.lost.isEmpty { lost = lost ?? [:] }
    lost?.add(growth.lost)
    log.add(growth.log)
  }
}

extension Dictionary where Value == RowSet {
  /// What came to each set; sets to which nothing came are left out.
  func growth(since earlier: [Key: RowSet]) -> [Key: RowSet.Growth] {
    var result: [Key: RowSet.Growth] = [:]
    for (key, rows) in self {
      let growth = rows.growth(since: earlier[key] ?? RowSet())
      if !growth.isEmpty { result[key] = growth }
    }
    return result
  }

  mutating func add(_ growth: [Key: RowSet.Growth]) {
    for (key, rows) in growth { self[key, default: RowSet()].add(rows) }
  }
}
