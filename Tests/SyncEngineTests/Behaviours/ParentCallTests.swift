import SyncStack
import TestSupport
import Testing

/// Every form of call that takes a parent, with a to-one relationship that has no inverse.
@Suite struct ParentCallTests {
  enum Call: CaseIterable, Sendable {
    case stack, stackAsync, stackCompletion, classThrowing, classAsync, classCompletion
    case classInContext, context, contextChanges, operation
  }

  /// How the relationship is named; every call takes each.
  enum Way: CaseIterable, Sendable {
    case none, name, description

    func relationship(of stack: DataStack) throws -> (any RelationshipNameConvertible)? {
      switch self {
      case .none: nil
      case .name: "author"
      case .description:
        try #require(stack.model.entity(named: "Post")?.relationship(named: "author"))
      }
    }
  }

  private static func stack() throws -> DataStack {
    let model = try ManagedObjectModel(["Person: id", "Post: id, author -> Person"])
    let stack = try DataStack(model: model, store: .inMemory)
    try stack.sync(dictionaries(#"[{"id": 1}, {"id": 2}]"#), inEntityNamed: "Person")
    try stack.sync(
      dictionaries(
        #"[{"id": 1, "author_id": 1}, {"id": 2, "author_id": 1}, {"id": 3, "author_id": 2}]"#),
      inEntityNamed: "Post")
    return stack
  }

  @Test(arguments: Call.allCases, Way.allCases)
  func everyCallSyncsTheChildrenOfAParent(_ call: Call, _ named: Way) async throws {
    let stack = try Self.stack()
    let way = try named.relationship(of: stack)
    let items = try JSONValue(parsing: #"[{"id": 2}, {"id": 4}]"#)
    switch call {
    case .stack:
      try stack.inMain {
        _ = try stack.sync(
          items, inEntityNamed: "Post", parent: $0.fetch(1, inEntityNamed: "Person"),
          parentRelationship: way)
      }
    case .stackAsync:
      try await Self.async(stack, items, way)
    case .stackCompletion:
      try await completed { done in
        stack.inMain {
          _ = stack.sync(
            items, inEntityNamed: "Post", parent: try? $0.fetch(1, inEntityNamed: "Person"),
            parentRelationship: way, completion: done)
        }
      }
    case .classThrowing:
      try stack.inMain {
        _ = try Sync.changes(
          items, inEntityNamed: "Post", parent: $0.fetch(1, inEntityNamed: "Person"),
          parentRelationship: way, dataStack: stack)
      }
    case .classAsync:
      try await Self.classAsync(stack, items, way)
    case .classCompletion:
      try await completed { done in
        stack.inMain {
          _ = Sync.changes(
            items, inEntityNamed: "Post", parent: try? $0.fetch(1, inEntityNamed: "Person"),
            parentRelationship: way, dataStack: stack, completion: done)
        }
      }
    case .classInContext:
      try stack.inBackground { context in
        _ = try Sync.changes(
          items, inEntityNamed: "Post", parent: context.fetch(1, inEntityNamed: "Person"),
          parentRelationship: way, inContext: context)
      }
    case .context:
      try stack.inMain {
        _ = try $0.sync(
          items, inEntityNamed: "Post", parent: $0.fetch(1, inEntityNamed: "Person"),
          parentRelationship: way)
      }
    case .contextChanges:
      try stack.inMain {
        _ = try $0.changes(
          items, inEntityNamed: "Post", predicate: nil,
          parent: $0.fetch(1, inEntityNamed: "Person"), parentRelationship: way, operations: .all)
      }
    case .operation:
      try stack.inMain {
        let sync = try Sync(
          changes: items, inEntityNamed: "Post", predicate: nil,
          parent: $0.fetch(1, inEntityNamed: "Person"), parentRelationship: way, context: nil,
          dataStack: stack, operations: .all)
        try sync.run()
      }
    }
    #expect(try stack.shown("Post", "id author") == ["2 1", "3 2", "4 1"])
  }

  @MainActor private static func async(
    _ stack: DataStack, _ items: JSONValue, _ way: (any RelationshipNameConvertible)?
  ) async throws {
    let parent = try stack.mainContext.fetch(1, inEntityNamed: "Person")
    try await stack.sync(items, inEntityNamed: "Post", parent: parent, parentRelationship: way)
  }

  @MainActor private static func classAsync(
    _ stack: DataStack, _ items: JSONValue, _ way: (any RelationshipNameConvertible)?
  ) async throws {
    let parent = try stack.mainContext.fetch(1, inEntityNamed: "Person")
    try await Sync.changes(
      items, inEntityNamed: "Post", parent: parent, parentRelationship: way, dataStack: stack)
  }
}
