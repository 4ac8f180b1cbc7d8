import SyncStack
import TestSupport
import Testing

/// One rule in one example: the stored objects, the payload, and the objects afterwards.
struct RuleCase: CustomTestStringConvertible, Sendable {
  enum Model: Sendable {
    case social
    case relationships
    case tree
    case vehicles
    case custom

    func make() throws -> ManagedObjectModel {
      switch self {
      case .social: try TestModels.social()
      case .relationships: try TestModels.relationships()
      case .tree: try TestModels.tree()
      case .vehicles: try TestModels.vehicles()
      case .custom: try RuleCase.customKeys()
      }
    }
  }

  let rule: String
  var model = Model.social
  /// Entity and payload of the syncs that come first; nothing of them is deleted.
  var stored: [(String, String)] = []
  let entity: String
  let payload: String
  var operations: SyncOperations = .all
  /// The expected objects of an entity.
  let expected: [(String, [String])]
  /// The expected kinds of findings.
  var findings: [SyncReport.Finding.Kind] = []

  var testDescription: String { rule }

  func check() throws {
    let bench = try SyncBench(model.make())
    for (entity, payload) in stored {
      try bench.sync(payload, entity) { $0.settings.operations.remove(.delete) }
    }
    let report = try bench.sync(payload, entity) { $0.settings.operations = operations }
    for (entity, objects) in expected {
      #expect(try bench.objects(entity) == objects, "\(entity)")
    }
    #expect(report.findings.map(\.kind.rawValue).sorted() == findings.map(\.rawValue).sorted())
  }

  /// Relationships with custom keys, one of them a path.
  private static func customKeys() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          "id", "notes ->> Note.user cascade from annotations", "boss -> User.team from super_user",
          "team ->> User.boss from relationships.team.data",
        ]),
      "Note: id, user -> User.notes",
    ])
  }
}
