import SyncGraph
import TestSupport
import Testing

/// Unsaved changes take part in every answer: whatever is asked before a save, the store gives the
/// same answer after it.
@Suite struct UnsavedAnswerTests {
  @Test(arguments: 1...16 as ClosedRange<UInt64>)
  func answersAreTheSameBeforeAndAfterTheSave(seed: UInt64) throws {
    let stack = try DataStack(model: TestModels.queries(), store: .inMemory)
    try stack.inBackground { context in
      var scene = try UnsavedScene(context, seed: seed)
      let questions = (0..<80).map { _ in scene.question() }
      #expect(context.hasChanges)
      let before = questions.map { scene.answer($0) }
      try context.save()
      for (question, before) in zip(questions, before) {
        let after = scene.answer(question)
        #expect(before == after, "\(question)")
      }
      #expect(Set(before).count > 20)
    }
  }
}

/// Objects of a random graph, some of them saved, then changed, joined by others and deleted.
private struct UnsavedScene {
  /// A question. Its filter is made once: objects as arguments keep the identifiers that they had.
  struct Question {
    enum Form: CaseIterable { case objects, batches, identifiers, values, distinct, groups, query }

    var form: Form
    var entity: EntityDescription
    var format: String
    var arguments: [Any?]
    var filter: Filter
    var sort: [SortKey]
    var limit: Int?
    var offset: Int
    var key: String
    var includesSubentities: Bool
  }

  private let context: ManagedObjectContext
  private let graph: MemoryGraph
  private var random: SeededGenerator
  private var filters: RandomFilter
  private var objects: [ManagedObject] = []
  private var numbers: [ObjectIdentifier: Int] = [:]

  init(_ context: ManagedObjectContext, seed: UInt64) throws {
    self.context = context
    random = SeededGenerator(seed: seed &+ 5000)
    graph = try RandomGraph.make(&random)
    filters = RandomFilter(graph: graph, seed: seed)
    let known = graph.objects.count * 3 / 5
    for (index, source) in graph.objects.enumerated() {
      if index == known {
        connect(objects, chance: 50)
        try context.save()
      }
      let object = try context.insert(entityNamed: source.entity.name)
      for attribute in source.entity.attributes where !attribute.isTransient {
        object.setStoredValue(source.values[attribute.slot], at: attribute.slot)
      }
      numbers[ObjectIdentifier(object)] = index
      objects.append(object)
    }
    for _ in 0..<12 { change(random.pick(Array(objects.prefix(known)))) }
    connect(objects, chance: 40)
    for _ in 0..<4 {
      let object = random.pick(objects)
      if !object.isDeleted { context.delete(object) }
    }
  }

  private mutating func change(_ object: ManagedObject) {
    for attribute in object.entity.attributes
    where !attribute.isTransient && random.chance(40) {
      object.setStoredValue(RandomGraph.value(attribute.type, &random), at: attribute.slot)
    }
  }

  /// Connects objects as the graph does, some of them.
  private mutating func connect(_ objects: [ManagedObject], chance: Int) {
    for owner in objects {
      for relationship in owner.entity.relationships where random.chance(chance) {
        let destination = owner.entity.destination(of: relationship)
        let others = objects.filter { $0.entity.isKind(of: destination) }
        guard !others.isEmpty else { continue }
        let count = Int.random(in: 0...2, using: &random)
        let chosen = (0..<count).map { _ in random.pick(others) }
        owner[relationship.name] = relationship.isToMany ? Set(chosen) : chosen.first
      }
    }
  }

  // MARK: - Asking

  mutating func question() -> Question {
    let entity = random.pick(graph.model.entities)
    let (format, arguments) = filters.make(entity)
    let attributes = entity.attributes.filter { !$0.isTransient && $0.type != .transformable }
    let path = entity.relationships.first { !$0.isToMany }
    var key = random.pick(attributes).name
    if let path, random.chance(40) {
      let ends = entity.destination(of: path).attributes
        .filter { !$0.isTransient && $0.type != .transformable }
      key = "\(path.name).\(random.pick(ends).name)"
    }
    return Question(
      form: random.pick(Question.Form.allCases), entity: entity, format: format,
      arguments: arguments,
      filter: Filter(format: format, arguments: arguments.map(current)),
      sort: filters.sortKeys(entity),
      limit: random.chance(30) ? Int.random(in: 0...5, using: &random) : nil,
      offset: random.chance(20) ? Int.random(in: 0...3, using: &random) : 0, key: key,
      includesSubentities: random.chance(80))
  }

  /// The answer as text, or the kind of error: a sum that is too large is one both times.
  func answer(_ question: Question) -> String {
    var request = Fetch<ManagedObject>(entityNamed: question.entity.name, question.filter)
    request.includesSubentities = question.includesSubentities
    request.fetchLimit = question.limit
    request.fetchOffset = question.offset
    let sorted = request.sorted(by: question.sort)
    do {
      switch question.form {
      case .objects:
        return try "\(numbers(context.fetch(sorted))) of \(context.count(sorted))"
      case .batches:
        let found = try context.fetch(sorted.batchSize(3))
        return "\(numbers(found)) \(found.map { $0.storedValue(forKey: firstKey(question)) })"
      case .identifiers:
        let identifiers = try context.identifiers(sorted)
        return "\(numbers(identifiers.map { context.object(with: $0) }))"
      case .values:
        return try "\(context.values(sorted, [.key(question.key, as: "a")]))"
      case .distinct:
        return try "\(context.distinctValues(of: question.key, request))"
      case .groups:
        let rows = try context.values(
          request.sorted(by: "-n"), [.key(question.key, as: "key"), .count("", as: "n")],
          groupedBy: [question.key])
        return "\(rows.map { $0.sorted { $0.key < $1.key }.map(\.value) })"
      case .query:
        return try answer(context.managerFor(entityNamed: question.entity.name), sorted, question)
      }
    } catch {
      return "\(type(of: error))"
    }
  }

  private func answer(
    _ query: ObjectQuery<ManagedObject>, _ request: Fetch<ManagedObject>, _ question: Question
  ) throws -> String {
    var query = query
    query.request = request
    let ends = numbers([try query.first, try query.last].compactMap { $0 })
    let extremes = [try query.min(question.key), try query.max(question.key)]
    let count = try query.aggregate("count", forKeyPath: question.key)
    return "\(ends) \(extremes.map { $0 ?? .null }) \(count ?? .null) \(try query.isEmpty)"
  }

  private func firstKey(_ question: Question) -> String {
    question.entity.attributes.first?.name ?? ""
  }

  private func numbers(_ found: [ManagedObject]) -> [Int] {
    found.map { numbers[ObjectIdentifier($0)] ?? -1 }
  }

  /// Identifiers of the graph become objects of the context.
  private func current(_ argument: Any?) -> Any? {
    switch argument {
    case let id as ManagedObjectID: object(id)
    case let ids as [ManagedObjectID]: ids.map(object)
    default: argument
    }
  }

  private func object(_ id: ManagedObjectID) -> ManagedObject {
    objects[graph.objects.firstIndex { $0.id == id } ?? 0]
  }
}

extension UnsavedScene.Question: CustomStringConvertible {
  var description: String {
    "\(form) of \(entity.name): \(format) \(arguments.map { "\($0 ?? "nil")" }) by \(sort) "
      + "limit \(limit ?? -1) offset \(offset) key \(key) subentities \(includesSubentities)"
  }
}
