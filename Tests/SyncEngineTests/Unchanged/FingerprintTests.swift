import Foundation
import SyncStack
import TestSupport
import Testing

/// When an item that comes again is passed over, and when not.
@Suite(.timeLimit(.minutes(5))) struct FingerprintTests {
  private static let payload: JSONValue = [
    [
      "id": 1, "name": "a", "notes": [["id": 10, "text": "x"], ["id": 11, "text": "y"]],
      "company": ["id": 5, "name": "c"], "tags_ids": [7], "tasks": [["id": 21], ["id": 20]],
    ],
    ["id": 2, "name": "b", "notes": [["id": 12, "text": "z"]], "tags_ids": [7, 8]],
    ["id": 3, "name": "c", "notes": []],
  ]

  private func makeStack() throws -> DataStack {
    let stack = try DataStack.social()
    try sync(stack, [["id": 7, "name": "t"], ["id": 8, "name": "u"]], "Tag")
    try sync(stack, Self.payload)
    return stack
  }

  @discardableResult
  private func sync(
    _ stack: DataStack, _ payload: JSONValue, _ entity: String = "User",
    _ change: (Sync) -> Void = { _ in }
  ) throws -> SyncReport {
    let sync = Sync(.json(payload), inEntityNamed: entity, dataStack: stack)
    change(sync)
    return try sync.run()
  }

  /// Everything that is stored, as text without row numbers.
  private func stored(_ stack: DataStack) throws -> [String] {
    try OracleGraph(stack.store).lines(since: OracleGraph())
  }

  /// Statements that read columns of users or notes.
  private func reads(_ stack: DataStack, _ body: () throws -> Void) throws -> [String] {
    try stack.store.recorder.record(body).filter {
      $0.hasPrefix("SELECT _row") && ($0.contains(#"FROM "User""#) || $0.contains(#"FROM "Note""#))
    }
  }

  // MARK: - Passing over

  @Test func whatComesAgainIsNotRead() throws {
    let stack = try makeStack()
    let before = try stack.store.read { try $0.dump() }
    var report: SyncReport?
    let reads = try reads(stack) { report = try sync(stack, Self.payload) }
    #expect(reads.isEmpty, "\(reads)")
    #expect(report?.isUnchanged == true)
    #expect(report?.entities["User"]?.unchanged == 3)
    #expect(report?.entities["Note"]?.unchanged == 3)
    let after = try stack.store.read { try $0.dump() }
    #expect(after == before)
  }

  @Test func theReportSaysWhatItWouldSayAnyway() throws {
    let payload: JSONValue = [["id": 1, "name": "a", "twitter": "@a"], ["id": 2, "blog": "b"]]
    let stack = try DataStack.social()
    try sync(stack, payload)
    let with = try sync(stack, payload)
    let without = try sync(stack, payload) { $0.usesFingerprints = false }
    #expect(with.entities == without.entities)
    #expect(with.entities["User"]?.unusedKeys == ["twitter": 1, "blog": 1])
    #expect(with.itemCount == without.itemCount)
  }

  @Test func onlyWhatChangedIsRead() throws {
    let stack = try makeStack()
    var items = try #require(Self.payload.arrayValue)
    items[2] = ["id": 3, "name": "changed", "notes": []]
    let report = try sync(stack, .array(items))
    #expect(report.entities["User"]?.updated == 1)
    #expect(report.entities["User"]?.unchanged == 2)
    // The changed items are known from now on.
    let reads = try reads(stack) { try sync(stack, .array(items)) }
    #expect(reads.isEmpty, "\(reads)")
  }

  /// An item that names by its key an object that another item brings and keeps does not have the
  /// values of that item.
  @Test func whatAnotherItemBroughtIsReadAgain() throws {
    let stack = try DataStack.social()
    let item: JSONValue = ["id": 3, "employees_ids": [1, 4]]
    try sync(stack, [["id": 1]])
    let operations = SyncOperations.all.subtracting(.delete)
    try sync(stack, [item, ["id": 1, "employees": [["id": 4]]]], "Company") {
      $0.operations = operations
    }
    let report = try sync(stack, [item], "Company") { $0.operations = operations }
    #expect(report.entities["User"]?.updated == 1)
    #expect(try stored(stack).contains { $0.contains("id=3") && $0.contains("(4)") })
  }

  @Test func itemsWithoutChangeStayWhenOthersGo() throws {
    let stack = try makeStack()
    let items = try #require(Self.payload.arrayValue)
    let report = try sync(stack, .array([items[0], items[2]]))
    #expect(report.entities["User"]?.deleted == 1)
    #expect(try stack.keys("User") == [1, 3])
    #expect(try stack.keys("Note").sorted() == [10, 11])
  }

  @Test func anItemThatGaveAWarningGivesItEachTime() throws {
    let stack = try DataStack.social()
    let payload: JSONValue = [["id": 1, "age": "old"], ["id": 2, "company_id": 99]]
    for _ in 1...3 {
      let report = try sync(stack, payload)
      #expect(report.count(of: .refusedConversion) == 1)
      #expect(report.count(of: .unresolvedReference) == 1)
    }
  }

  @Test func fingerprintsOfOtherOptionsAndScopesAreNotTrusted() throws {
    let changes: [(Sync) -> Void] = [
      { $0.settings.operations = .all.subtracting(.delete) },
      { $0.settings.filter = Filter("id < 3") },
      { $0.settings.onItemError = .skip },
      { $0.usesFingerprints = false },
    ]
    for change in changes {
      let stack = try makeStack()
      let reads = try reads(stack) { try sync(stack, Self.payload, "User", change) }
      #expect(!reads.isEmpty)
    }
  }

  // MARK: - Writes of others

  struct Edit: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let body: @Sendable (FingerprintTests, DataStack) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (FingerprintTests, DataStack) throws -> Void) {
      testDescription = name
      self.body = body
    }

    /// One that a context makes.
    static func saved(
      _ name: String, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) -> Edit {
      Edit(name) { _, stack in
        let context = stack.newBackgroundContext()
        try context.performAndWait {
          try body(context)
          try context.save()
        }
      }
    }
  }

  static let edits: [Edit] = [
    .saved("an attribute of the object") {
      try object($0, "User", 1).setValue("q", forKey: "name")
    },
    .saved("an attribute of a child") { try object($0, "Note", 11).setValue("q", forKey: "text") },
    .saved("the key of a child") { try object($0, "Note", 11).setValue(99, forKey: "id") },
    .saved("a to-one relationship") { try object($0, "User", 1).setValue(nil, forKey: "company") },
    .saved("the object is deleted") { $0.delete(try object($0, "User", 1)) },
    .saved("a child is deleted") { $0.delete(try object($0, "Note", 11)) },
    .saved("what it refers to is deleted") { $0.delete(try object($0, "Tag", 7)) },
    .saved("a nested object is deleted") { $0.delete(try object($0, "Company", 5)) },
    .saved("a child is moved") {
      try object($0, "Note", 11).setValue(object($0, "User", 3), forKey: "user")
    },
    .saved("a child is added") {
      let note = try $0.insert(entityNamed: "Note")
      note.setValue(50, forKey: "id")
      note.setValue(try object($0, "User", 1), forKey: "user")
    },
    .saved("another object gets the key") {
      try $0.insert(entityNamed: "User").setValue(1, forKey: "id")
    },
    .saved("another child gets the key") {
      try $0.insert(entityNamed: "Note").setValue(11, forKey: "id")
    },
    .saved("an object the payload does not know") {
      try $0.insert(entityNamed: "User").setValue(77, forKey: "id")
    },
    Edit("a batch update") { _, stack in
      let context = stack.newBackgroundContext()
      try context.performAndWait {
        _ = try context.batchUpdate(
          Fetch<ManagedObject>(entityNamed: "Note", "id == 10"), ["text": "q"])
      }
    },
    Edit("a batch deletion") { _, stack in
      let context = stack.newBackgroundContext()
      try context.performAndWait {
        _ = try context.batchDelete(Fetch<ManagedObject>(entityNamed: "Note", "id == 10"))
      }
    },
    Edit("a sync with other options") { tests, stack in
      try tests.sync(stack, [["id": 1, "name": "q"]], "User") {
        $0.settings.operations = [.insert, .update]
      }
    },
    Edit("a sync of the children") { tests, stack in
      try tests.sync(stack, [["id": 10, "text": "q"]], "Note") {
        $0.settings.operations = [.insert, .update]
      }
    },
    Edit("a sync of what it refers to") { tests, stack in
      try tests.sync(stack, [["id": 8, "name": "u"]], "Tag")
    },
    Edit("a sync of the same kind") { tests, stack in
      try tests.sync(stack, [["id": 2, "name": "q", "notes": [["id": 10]]]])
    },
    Edit("many writes") { tests, stack in
      for number in 0..<40 {
        try tests.sync(stack, [["id": 100, "name": .integer(Int64(number))]], "Tag") {
          $0.settings.operations = [.insert, .update]
        }
      }
      try tests.sync(stack, [["id": 12, "text": "q"]], "Note") {
        $0.settings.operations = [.insert, .update]
      }
    },
  ]

  private static func object(
    _ context: ManagedObjectContext, _ entity: String, _ key: Int
  ) throws -> ManagedObject {
    try #require(
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity, Filter("id == %@", key))).first)
  }

  @Test(arguments: edits) func changesOfOthersAreReadAgainAndPutRight(_ edit: Edit) throws {
    var outcomes: [[String]] = []
    var reports: [[String: SyncReport.EntityReport]] = []
    for usesFingerprints in [true, false] {
      let stack = try makeStack()
      try sync(stack, Self.payload) { $0.usesFingerprints = usesFingerprints }
      try edit.body(self, stack)
      reports.append(
        try sync(stack, Self.payload) { $0.usesFingerprints = usesFingerprints }.entities)
      outcomes.append(try stored(stack))
    }
    #expect(outcomes[0] == outcomes[1])
    #expect(reports[0] == reports[1])
  }

  @Test func aMigrationForgetsAllFingerprints() throws {
    let folder = try TemporaryFolder()
    func open(_ extra: [PropertyDraft]) throws -> DataStack {
      let user = EntityDraft("User", [.attribute("id", .integer64)] + extra)
      return try DataStack(
        model: ManagedObjectModel([user]), store: .sqlite(folder.file("fingerprints.sqlite")))
    }
    let payload: JSONValue = [["id": 1, "name": "a"]]
    let first = try open([])
    try sync(first, payload)
    try first.close()
    let second = try open([.attribute("name", .string)])
    #expect(try sync(second, payload).updated == 1)
    try second.close()
  }

  @Test func aBrokenDocumentIsDescribedAsWithoutFingerprints() throws {
    for text in [
      #"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3"#, #"[{"id":1,"name":"a"},{"id":2 "x"}]"#,
      #"[{"id":1,"name":"a"} {"id":2}]"#,
    ] {
      let stack = try DataStack.social()
      try sync(stack, [["id": 1, "name": "a"], ["id": 2, "name": "b"]])
      let messages = [true, false].map { usesFingerprints in
        let sync = Sync(.data(Data(text.utf8)), inEntityNamed: "User", dataStack: stack)
        sync.usesFingerprints = usesFingerprints
        sync.start()
        switch sync.result {
        case .failure(let error): return "\(error)"
        case .success, nil: return "no error"
        }
      }
      #expect(messages[0] == messages[1])
      #expect(messages[0] != "no error")
    }
  }
}
