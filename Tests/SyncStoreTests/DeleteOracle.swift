import TestSupport

/// Delete rules object by object over dictionaries, written from the meaning of the rules: slow,
/// plain, and without SQL.
struct DeleteOracle {
  struct Object: Hashable, Comparable, CustomStringConvertible {
    let entity: String
    let row: Int64

    static func < (left: Object, right: Object) -> Bool {
      (left.entity, left.row) < (right.entity, right.row)
    }

    var description: String { "\(entity)/\(row)" }
  }

  enum Kind: CaseIterable {
    /// The source has a to-many, the target a to-one.
    case oneToMany, oneToOne, manyToMany
    /// Without inverse.
    case oneWay, oneWayToMany
  }

  /// Property `s…` at the source, `t…` at the target.
  struct Relation {
    let index: Int
    let source: String
    let target: String
    let kind: Kind
    let sourceRule: DeleteRule
    let targetRule: DeleteRule

    var sourceName: String { "s\(index)" }
    var targetName: String { "t\(index)" }
    var hasInverse: Bool { kind != .oneWay && kind != .oneWayToMany }
  }

  struct Pair: Hashable {
    let source: Int64
    let target: Int64
  }

  static let entities = ["E0", "E1", "E2"]

  var relations: [Relation] = []

  /// To-one values by object and property.
  var objects: [Object: [String: Int64]] = [:]

  /// Pairs in link tables by relation.
  var links: [Int: Set<Pair>] = [:]

  /// The changes of the latest deletion, as ``ChangeSet/summary`` says them.
  var lastChanges = ""

  // MARK: - Making one

  static func random(_ random: inout SeededGenerator) -> DeleteOracle {
    var oracle = DeleteOracle()
    let rules: [DeleteRule] = [.nullify, .nullify, .cascade, .cascade, .noAction, .deny]
    for index in 0..<5 {
      oracle.relations.append(
        Relation(
          index: index, source: entities[Int.random(in: 0..<3, using: &random)],
          target: entities[Int.random(in: 0..<3, using: &random)],
          kind: Kind.allCases[Int.random(in: 0..<5, using: &random)],
          sourceRule: rules[Int.random(in: 0..<6, using: &random)],
          targetRule: rules[Int.random(in: 0..<6, using: &random)]))
    }
    for entity in entities {
      for row in 1...8 { oracle.objects[Object(entity: entity, row: Int64(row))] = [:] }
    }
    for relation in oracle.relations {
      for _ in 0..<5 {
        oracle.connect(
          relation, source: Int64.random(in: 1...8, using: &random),
          target: Int64.random(in: 1...8, using: &random))
      }
    }
    return oracle
  }

  private mutating func connect(_ relation: Relation, source: Int64, target: Int64) {
    let first = Object(entity: relation.source, row: source)
    let second = Object(entity: relation.target, row: target)
    switch relation.kind {
    case .oneToMany:
      objects[second]?[relation.targetName] = source
    case .oneWay:
      objects[first]?[relation.sourceName] = target
    case .oneToOne:
      guard objects[first]?[relation.sourceName] == nil,
        objects[second]?[relation.targetName] == nil
      else { return }
      objects[first]?[relation.sourceName] = target
      objects[second]?[relation.targetName] = source
    case .manyToMany, .oneWayToMany:
      links[relation.index, default: []].insert(Pair(source: source, target: target))
    }
  }

  func randomObject(_ random: inout SeededGenerator) -> Object? {
    objects.keys.sorted().randomElement(using: &random)
  }

  // MARK: - Deleting

  /// The objects that an object leads to by each of its relationships that has a rule.
  private func reached(from object: Object) -> [(rule: DeleteRule, objects: [Object])] {
    var result: [(DeleteRule, [Object])] = []
    for relation in relations {
      if relation.source == object.entity {
        let rows = targets(of: object.row, relation)
        let objects = rows.map { Object(entity: relation.target, row: $0) }
        result.append((relation.sourceRule, objects.filter { self.objects[$0] != nil }))
      }
      if relation.target == object.entity, relation.hasInverse {
        let rows = sources(of: object.row, relation)
        let objects = rows.map { Object(entity: relation.source, row: $0) }
        result.append((relation.targetRule, objects.filter { self.objects[$0] != nil }))
      }
    }
    return result
  }

  private func targets(of row: Int64, _ relation: Relation) -> [Int64] {
    switch relation.kind {
    case .oneToMany:
      objects.filter {
        $0.key.entity == relation.target && $0.value[relation.targetName] == row
      }.map(\.key.row)
    case .oneToOne, .oneWay:
      (objects[Object(entity: relation.source, row: row)]?[relation.sourceName]).map { [$0] } ?? []
    case .manyToMany, .oneWayToMany:
      (links[relation.index] ?? []).filter { $0.source == row }.map(\.target)
    }
  }

  private func sources(of row: Int64, _ relation: Relation) -> [Int64] {
    switch relation.kind {
    case .oneToMany, .oneToOne:
      (objects[Object(entity: relation.target, row: row)]?[relation.targetName]).map { [$0] } ?? []
    case .manyToMany:
      (links[relation.index] ?? []).filter { $0.target == row }.map(\.source)
    case .oneWay, .oneWayToMany:
      []
    }
  }

  /// Deletes objects by the rules.
  ///
  /// - Returns: false, and changes nothing, when a rule denies it.
  mutating func delete(_ victims: [Object]) -> Bool {
    var doomed = Set(victims)
    var waiting = victims
    while let object = waiting.popLast() {
      for (rule, others) in reached(from: object) where rule == .cascade {
        for other in others where doomed.insert(other).inserted { waiting.append(other) }
      }
    }
    for object in doomed {
      for (rule, others) in reached(from: object) where rule == .deny {
        if !others.allSatisfy(doomed.contains) { return false }
      }
    }
    var touched: [Object: Set<String>] = [:]
    for relation in relations { forget(doomed, in: relation, &touched) }
    for object in doomed { objects[object] = nil }
    lastChanges = summary(doomed, touched)
    return true
  }

  private mutating func forget(
    _ doomed: Set<Object>, in relation: Relation, _ touched: inout [Object: Set<String>]
  ) {
    for (object, values) in objects where !doomed.contains(object) {
      if object.entity == relation.target, let row = values[relation.targetName],
        doomed.contains(Object(entity: relation.source, row: row)), relation.sourceRule != .noAction
      {
        objects[object]?[relation.targetName] = nil
        touched[object, default: []].insert(relation.targetName)
      }
      if object.entity == relation.source, let row = values[relation.sourceName],
        doomed.contains(Object(entity: relation.target, row: row)),
        relation.kind == .oneWay || relation.targetRule != .noAction
      {
        objects[object]?[relation.sourceName] = nil
        touched[object, default: []].insert(relation.sourceName)
      }
    }
    if relation.kind == .oneToMany {
      // The list of an owner that stays gets shorter.
      for object in doomed where object.entity == relation.target {
        guard let row = objects[object]?[relation.targetName] else { continue }
        touch(Object(entity: relation.source, row: row), relation.sourceName, doomed, &touched)
      }
    }
    for pair in links[relation.index] ?? [] {
      let source = Object(entity: relation.source, row: pair.source)
      let target = Object(entity: relation.target, row: pair.target)
      guard doomed.contains(source) || doomed.contains(target) else { continue }
      links[relation.index]?.remove(pair)
      touch(source, relation.sourceName, doomed, &touched)
      if relation.hasInverse { touch(target, relation.targetName, doomed, &touched) }
    }
  }

  private func touch(
    _ object: Object, _ name: String, _ doomed: Set<Object>,
    _ touched: inout [Object: Set<String>]
  ) {
    guard objects[object] != nil, !doomed.contains(object) else { return }
    touched[object, default: []].insert(name)
  }

  private func summary(_ doomed: Set<Object>, _ touched: [Object: Set<String>]) -> String {
    Self.entities.compactMap { entity in
      let deleted = doomed.filter { $0.entity == entity }.map(\.row).sorted()
      let names = propertyNames(entity)
      let updated = touched.filter { $0.key.entity == entity }.sorted { $0.key < $1.key }
        .map { "\($0.key.row): \(names.filter($0.value.contains).joined(separator: " "))" }
      guard !deleted.isEmpty || !updated.isEmpty else { return nil }
      return "\(entity) +[] ~[\(updated.joined(separator: ", "))] -\(deleted)"
    }.joined(separator: "; ")
  }

  private func propertyNames(_ entity: String) -> [String] {
    relations.flatMap { relation in
      (relation.source == entity ? [relation.sourceName] : [])
        + (relation.target == entity && relation.hasInverse ? [relation.targetName] : [])
    }
  }
}
