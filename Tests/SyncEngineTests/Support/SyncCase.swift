import SyncStack
import TestSupport
import Testing

/// One rule in one example: syncs, and the objects that they leave.
struct SyncCase: CustomTestStringConvertible, Sendable {
  /// A model by its call, its entities, or the name of a document of the fixtures.
  struct Model: ExpressibleByStringLiteral, Sendable {
    let make: @Sendable () throws -> ManagedObjectModel

    init(_ make: @escaping @Sendable () throws -> ManagedObjectModel) { self.make = make }

    init(stringLiteral name: String) { make = { try Fixtures.model(name) } }

    static let social = Model { try TestModels.social() }
    static let users = Model { try TestModels.users() }
    static let userNotes = Model { try TestModels.userNotes() }
    static let relationships = Model { try TestModels.relationships() }
    static let tree = Model { try TestModels.tree() }
    static let vehicles = Model { try TestModels.vehicles() }
    static let animals = Model { try TestModels.animals() }
    static let twoLists = Model { try TestModels.twoLists() }

    /// Relationships with custom keys, one of them a path.
    static let custom = of(
      """
      User: id, notes ->> Note.user cascade from annotations, boss -> User.team from super_user,
      team ->> User.boss from relationships.team.data
      """,
      "Note: id, user -> User.notes")

    static func of(_ entities: EntityDraft...) -> Model {
      Model { try ManagedObjectModel(entities) }
    }
  }

  /// A sync: the entity, the JSON, the operations, and the object whose children the items are.
  struct Step: Sendable {
    let entity: String
    let json: String
    let operations: SyncOperations
    let parent: (entity: String, key: Int)?
    let relationship: String?

    static func sync(
      _ entity: String, _ json: String, _ operations: SyncOperations = .all,
      under parent: (entity: String, key: Int)? = nil, by relationship: String? = nil
    ) -> Step {
      Step(
        entity: entity, json: json, operations: operations, parent: parent,
        relationship: relationship)
    }

    /// A sync that comes first and deletes nothing.
    static func stored(_ entity: String, _ json: String) -> Step {
      sync(entity, json, SyncOperations.all.subtracting(.delete))
    }
  }

  let rule: String
  let model: Model
  let steps: [Step]
  /// The objects of an entity afterwards, as ``SyncBench/objects(_:)`` shows them.
  let objects: KeyValuePairs<String, [String]>
  /// The kinds of findings of the last sync.
  let findings: [SyncReport.Finding.Kind]

  init(
    _ rule: String, in model: Model = .social, _ steps: Step...,
    leaves objects: KeyValuePairs<String, [String]>, findings: [SyncReport.Finding.Kind] = []
  ) {
    self.rule = rule
    self.model = model
    self.steps = steps
    self.objects = objects
    self.findings = findings
  }

  var testDescription: String { rule }

  /// Runs the steps by the engine alone and compares objects and findings.
  func check() throws {
    let bench = try SyncBench(model.make())
    var report: SyncReport?
    for step in steps { report = try bench.run(step) }
    try compare(bench, "")
    let kinds = try #require(report).findings.map(\.kind.rawValue)
    #expect(kinds.sorted() == findings.map(\.rawValue).sorted())
  }

  /// Runs the steps, the last one in parts of so many items, and compares the objects: each way has
  /// findings of its own.
  func check(parts: Int?) throws {
    try check { bench, step in try bench.run(step, parts: parts) }
  }

  /// Runs the steps, the last one in another way, and compares the objects.
  func check(_ runLast: (SyncBench, Step) throws -> Void) throws {
    let bench = try SyncBench(model.make())
    for step in steps.dropLast() { try bench.run(step) }
    try runLast(bench, try #require(steps.last))
    try compare(bench, "")
  }

  /// Runs the steps in a stack by one kind of call and compares the objects.
  func check(_ call: SyncCall) async throws {
    let folder = try TemporaryFolder()
    let stack = try DataStack(
      model: model.make(),
      store: call == .operationWithFile ? .sqlite(folder.file("\(call).sqlite")) : .inMemory)
    for step in steps { try await call.run(stack, step.json, step.entity, step.operations) }
    try compare(SyncBench(stack), ", by \(call)")
    // The last step, once more, ends the same.
    if let last = steps.last {
      try await call.run(stack, last.json, last.entity, last.operations)
      try compare(SyncBench(stack), ", by \(call), again")
    }
  }

  private func compare(_ bench: SyncBench, _ how: String) throws {
    for (entity, expected) in objects {
      let found = try bench.objects(entity)
      #expect(found == expected, "\(entity)\(how)")
    }
  }
}

extension SyncBench {
  @discardableResult
  fileprivate func run(_ step: SyncCase.Step, parts: Int? = nil) throws -> SyncReport {
    try sync(
      step.json, step.entity, under: step.parent.map { try id($0.entity, $0.key) },
      by: step.relationship, operations: step.operations, parts: parts)
  }
}
