import SyncStack
import TestSupport
import Testing

/// One rule in one example: syncs, and the objects that they leave.
struct SyncCase: CustomTestStringConvertible, Sendable {
  enum Model: ExpressibleByStringLiteral, Sendable {
    case social
    case relationships
    case tree
    case vehicles
    case custom
    /// A model document of the fixtures, by its name.
    case document(String)

    init(stringLiteral name: String) { self = .document(name) }

    func make() throws -> ManagedObjectModel {
      switch self {
      case .social: try TestModels.social()
      case .relationships: try TestModels.relationships()
      case .tree: try TestModels.tree()
      case .vehicles: try TestModels.vehicles()
      case .custom: try SyncCase.customKeys()
      case .document(let name): try Fixtures.model(name)
      }
    }
  }

  /// A sync: the entity, the JSON, and the operations.
  struct Step: Sendable {
    let entity: String
    let json: String
    let operations: SyncOperations

    static func sync(
      _ entity: String, _ json: String, _ operations: SyncOperations = .all
    ) -> Step {
      Step(entity: entity, json: json, operations: operations)
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
    for step in steps {
      report = try bench.sync(step.json, step.entity, operations: step.operations)
    }
    try compare(bench, "")
    let kinds = try #require(report).findings.map(\.kind.rawValue)
    #expect(kinds.sorted() == findings.map(\.rawValue).sorted())
  }

  /// Runs the steps in a stack by one kind of call and compares the objects.
  func check(_ call: SyncCall) async throws {
    let folder = try TemporaryFolder()
    let stack = try DataStack(
      model: model.make(),
      store: call == .operationWithFile ? .sqlite(folder.file("\(call).sqlite")) : .inMemory)
    for step in steps {
      try await call.run(stack, step.json, step.entity, step.operations)
    }
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

  /// Relationships with custom keys, one of them a path.
  private static func customKeys() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      """
      User: id, notes ->> Note.user cascade from annotations, boss -> User.team from super_user,
      team ->> User.boss from relationships.team.data
      """,
      "Note: id, user -> User.notes",
    ])
  }
}
