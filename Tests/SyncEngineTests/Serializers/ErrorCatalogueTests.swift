import Foundation
import SyncStack
import TestSupport
import Testing

/// Every kind of failure that can meet a mapping by hand is a typed error that names its place. The
/// names are those of the catalogue that older libraries of serializers stopped the program for.
@Suite struct ErrorCatalogueTests {
  /// The contents of an error, whatever its type.
  struct Facts: Equatable {
    var type = ""
    var code = ""
    var entity: String?
    var property: String?
    var path: String?

    init(_ error: any Error) {
      switch error {
      case let error as SyncError:
        (type, code, path) = ("SyncError", error.code.rawValue, error.path)
        (entity, property) = (error.entity, error.property)
      case let error as MappingError:
        (type, code) = ("MappingError", error.code.rawValue)
        (entity, property) = (error.entity, error.property)
      case let error as GraphError:
        (type, code) = ("GraphError", error.code.rawValue)
        (entity, property) = (error.entity, error.key)
      case let error as FilterError:
        (type, code) = ("FilterError", error.code.rawValue)
        (entity, property) = (error.entity, error.key)
      case let error as ModelError:
        (type, code) = ("ModelError", "\(error.code)")
        (entity, property) = (error.entity, error.property)
      case let error as StoreError: (type, code) = ("StoreError", error.code.rawValue)
      default: type = "\(Swift.type(of: error))"
      }
    }

    init(
      _ type: String, _ code: String = "", _ entity: String? = nil, _ property: String? = nil,
      at path: String? = nil
    ) {
      (self.type, self.code, self.entity) = (type, code, entity)
      (self.property, self.path) = (property, path)
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let facts: Facts
    let body: @Sendable (SerializerBench) throws -> Void

    init(
      _ name: String, _ facts: Facts, _ body: @escaping @Sendable (SerializerBench) throws -> Void
    ) { (testDescription, self.facts, self.body) = (name, facts, body) }
  }

  private static func sync(
    _ json: JSONValue, _ change: @escaping @Sendable (inout EntitySerializer<ManagedObject>) -> Void
  ) -> @Sendable (SerializerBench) throws -> Void {
    { try $0.syncStrictly(json, with: SerializerBench.batches().with(change)) }
  }

  private static func ask(
    _ body: @escaping @Sendable (ObjectQuery<ManagedObject>) throws -> Void
  ) -> @Sendable (SerializerBench) throws -> Void {
    { bench in
      let context = bench.stack.newBackgroundContext()
      try context.performAndWait { try body(context.managerFor(entityNamed: "Batch")) }
    }
  }

  private static let employees = SerializerBench.employees([
    "employeeID": .int("id"),
    "department": .toOne(["user", "department"]) {
      SerializerBench.departments(["departmentID": .int(["key", "id"]), "name": .string("name")])
    },
  ])

  private static func employed(_ department: JSONValue)
    -> @Sendable (SerializerBench) throws -> Void
  {
    {
      try $0.syncStrictly(
        [["id": 1, "user": ["department": department]]] as JSONValue, with: employees)
    }
  }

  static let rows = [
    // Set-up. A stack that exists is open, so that nothing can be asked before, and cannot be
    // opened again.
    Row("modelNotFound", Facts("GraphError", "modelNotFound")) { _ in
      _ = try DataStack(modelName: "Nowhere")
    },
    Row("storeUnavailable: no folder", Facts("StoreError", "cannotOpen")) { bench in
      let url = try TemporaryFolder().file("\(String(repeating: "n", count: 300))/store.sqlite")
      _ = try DataStack(model: bench.stack.model, store: .sqlite(url))
    },
    Row("storeUnavailable: no database", Facts("StoreError", "notADatabase")) { bench in
      let folder = try TemporaryFolder()
      try Data(String(repeating: "text ", count: 500).utf8).write(to: folder.file())
      _ = try DataStack(model: bench.stack.model, store: .sqlite(folder.file()))
    },
    Row("notConfigured: closed", Facts("StoreError", "closed")) { bench in
      try bench.stack.close()
      try bench.sync([["id": 1]], with: SerializerBench.batches())
    },
    // Questions.
    Row(
      "badPredicate", Facts("FilterError", "syntax"), ask { _ = try $0.filter("batchID ==").count }),
    Row(
      "badPredicate: in a grouper", Facts("FilterError", "syntax"),
      sync([["id": 1]]) { $0.groupers = [Filter("batchID >")] }),
    Row(
      "unknownProperty: filter", Facts("FilterError", "unknownKey", "Batch", "nothing"),
      ask { _ = try $0.filter("nothing == 1").count }),
    Row(
      "unknownProperty: grouper", Facts("FilterError", "unknownKey", "Batch", "nothing"),
      sync([["id": 1]]) { $0.groupers = [Filter("nothing == 1")] }),
    Row(
      "unknownProperty: order", Facts("FilterError", "unknownKey", "Batch", "nothing"),
      ask { _ = try $0.orderBy("nothing").array }),
    Row(
      "unknownProperty: aggregate", Facts("FilterError", "unknownKey", "Batch", "nothing"),
      ask { _ = try $0.sum("nothing") }),
    Row(
      "unsupportedFunction", Facts("GraphError", "unsupported", nil, "batchID"),
      ask { _ = try $0.aggregate("median", forKeyPath: "batchID") }),
    // Items.
    Row(
      "invalidItem", Facts("SyncError", "invalidItem", "Batch", at: "$[1]"),
      sync([["id": 1], 5]) { _ in }),
    Row(
      "missingIdentifier", Facts("SyncError", "missingKey", "Batch", "batchID", at: "$[0]"),
      sync([["message": "not found"]]) { _ in }),
    Row(
      "missingIdentifier: nested",
      Facts("SyncError", "missingKey", "Department", "departmentID", at: "$[0].user.department"),
      employed(["name": "a"])),
    Row(
      "typeMismatch", Facts("SyncError", "typeMismatch", "Batch", "name", at: "$[0].info.name"),
      sync([["id": 1, "info": ["name": [5]]]]) { _ in }),
    Row(
      "typeMismatch: nested",
      Facts(
        "SyncError", "typeMismatch", "Department", "departmentID",
        at: "$[0].user.department.key.id"),
      employed(["key": ["id": "x"]])),
    Row(
      "typeMismatch: a relationship",
      Facts("SyncError", "typeMismatch", "Employee", "department", at: "$[0].user.department"),
      employed("x")),
    Row(
      "typeMismatch: custom", Facts("SyncError", "typeMismatch", "Batch", "name", at: "$[0].n"),
      sync([["id": 1, "n": "x"]]) {
        $0.mapping["name"] = .custom("n") { (json: JSONValue) -> String? in
          throw CancellationOfNothing(json)
        }
      }),
    Row(
      "outOfRange", Facts("SyncError", "outOfRange", "Batch", "batchID", at: "$[0].id"),
      sync([["id": .decimal(Decimal(string: "92233720368547758080") ?? 0)]]) { _ in }),
    Row(
      "invalidDate", Facts("SyncError", "invalidDate", "Batch", "moment", at: "$[0][\"a.b\"]"),
      sync([["id": 1, "a.b": "2026-02-30T00:00:00Z"]]) {
        $0.mapping["moment"] = .isoDate(["a.b"])
      }),
    Row(
      "tooManyObjects",
      Facts("SyncError", "tooManyObjects", "Employee", "department", at: "$[0].user.department"),
      employed([["key": ["id": 1]], ["key": ["id": 2]]])),
    Row(
      "a required key is missing",
      Facts("SyncError", "requiredValueMissing", "Batch", "name", at: "$[0]"),
      sync([["id": 1]]) { $0.mapping["name"] = .string("n").whenMissing(.fail) }),
    Row("ambiguousStored", Facts("SyncError", "ambiguousStored", "Batch", "batchID")) { bench in
      try bench.insert("Batch", [["batchID": 1], ["batchID": 1]])
      try sync([["id": 1]]) { $0.policy.storedDuplicates = .fail }(bench)
    },
    // The commit.
    Row("cancelled", Facts("CancellationError")) { bench in
      let sync = Sync(.json([["id": 1]]), with: SerializerBench.batches(), dataStack: bench.stack)
      sync.cancel()
      try sync.run()
    },
    Row("saveConflict", Facts("GraphError", "conflict", "Batch")) { bench in
      try bench.insert("Batch", [["batchID": 1, "name": "a"]])
      let context = bench.stack.newBackgroundContext()
      context.mergePolicy = .error
      try context.performAndWait {
        let object = try #require(
          try context.fetch(Fetch<ManagedObject>(entityNamed: "Batch")).first)
        object["name"] = "mine"
        try sync([["id": 1, "info": ["name": "theirs"]]]) { _ in }(bench)
        try context.save()
      }
    },
  ]

  private struct CancellationOfNothing: Error {
    init(_: JSONValue) {}
  }

  @Test(arguments: rows) func theErrorSaysWhatItIsAbout(_ row: Row) throws {
    let bench = try SerializerBench()
    let error = #expect(throws: (any Error).self) { try row.body(bench) }
    guard let error else { return }
    #expect(Facts(error) == row.facts)
    #expect(error is CancellationError || "\(error)".contains(" "), "it is a sentence")
  }

  /// A value that the model does not allow, found before anything is written.
  @Test(
    arguments: [
      ([["id": 1]], "requiredValueMissing", "code", "$[0]"),
      ([["id": 1, "code": "abcdef"]], "invalidValue", "code", "$[0]"),
      ([["id": 1, "code": "ab"], ["id": 2, "code": "abcdef"]], "invalidValue", "code", "$[1]"),
    ] as [(JSONValue, String, String, String)])
  func validatorsFailAsTheCatalogueSays(
    json: JSONValue, code: String, property: String, path: String
  ) throws {
    let stack = try DataStack.inMemory([
      EntityDraft(
        "Limited",
        [
          "id",
          .attribute(
            "code", .string, isOptional: false, validation: ValidationRules(maximum: .int(4))),
        ])
    ])
    let serializer = EntitySerializer(entityNamed: "Limited").by(
      "id", ["id": .int("id"), "code": .string("code")])
    let error = try thrown(SyncError.self) {
      try SerializerBench(stack).syncStrictly(json, with: serializer)
    }
    #expect(error?.code.rawValue == code && error?.entity == "Limited")
    #expect(error?.property == property && error?.path == path)
  }
}
