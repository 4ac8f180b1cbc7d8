import Foundation
import SyncStack
import TestSupport
import Testing

/// The ways to call for a sync, with the forms that JSON comes in.
enum SyncCall: String, CaseIterable, Sendable {
  case throwingWithDictionaries, asynchronousWithData, completionWithTree, classWithDictionaries
  case classInBackgroundContext, operationWithFile, mainContextWithText, startedOperation

  func run(
    _ stack: DataStack, _ json: String, _ entity: String, _ operations: SyncOperations
  ) async throws {
    switch self {
    case .throwingWithDictionaries:
      try now { try stack.sync(dictionaries(json), inEntityNamed: entity, operations: operations) }
    case .asynchronousWithData:
      try await stack.sync(Data(json.utf8), inEntityNamed: entity, operations: operations)
    case .completionWithTree:
      let tree = try JSONValue(parsing: json)
      try await completed {
        stack.sync(tree, inEntityNamed: entity, operations: operations, completion: $0)
      }
    case .classWithDictionaries:
      let items = try SyncPayload.objects(dictionaries(json))
      try await completed {
        Sync.changes(
          items, inEntityNamed: entity, dataStack: stack, operations: operations, completion: $0)
      }
    case .classInBackgroundContext:
      try stack.inBackground { context in
        var failure: (any Error)?
        try Sync.changes(
          dictionaries(json), inEntityNamed: entity, inContext: context, operations: operations
        ) { failure = $0 }
        if let failure { throw failure }
      }
    case .operationWithFile:
      let folder = try TemporaryFolder()
      let file = folder.file("payload.json")
      try Data(json.utf8).write(to: file)
      let sync = Sync(.file(file), inEntityNamed: entity, dataStack: stack)
      sync.operations = operations
      let queue = OperationQueue()
      queue.addOperation(sync)
      queue.waitUntilFinishedElsewhere()
      _ = try #require(sync.result).get()
    case .mainContextWithText:
      let context = stack.mainContext
      try context.performAndWait {
        _ = try context.sync(Data(json.utf8), inEntityNamed: entity, operations: operations)
      }
    case .startedOperation:
      let sync = try Sync(
        changes: dictionaries(json), inEntityNamed: entity, dataStack: stack,
        operations: operations)
      sync.start()
      #expect(sync.isFinished)
      _ = try #require(sync.result).get()
    }
  }

  /// The throwing form, whatever the caller's context prefers.
  private func now(_ body: () throws -> some Any) throws { _ = try body() }
}

/// Reads a text with `JSONSerialization`.
func dictionaries(_ json: String) throws -> [[String: Any]] {
  let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
  return try #require(object as? [[String: Any]])
}

extension Fixtures {
  private static let read = Locked<[String: ManagedObjectModel]>([:])

  /// The folder of the model documents, as a bundle.
  static func models() throws -> Bundle { try #require(Bundle(url: url("Models"))) }

  /// A model document by its name, which is read once.
  static func model(_ name: String) throws -> ManagedObjectModel {
    if let model = read.withLock({ $0[name] }) { return model }
    let model = try DataStack(modelName: name, bundle: models(), storeType: .inMemory).model
    read.withLock { $0[name] = model }
    return model
  }
}

extension DataStack {
  /// Opens a model document of the fixtures by its name; in a folder, with a file.
  static func opened(_ modelName: String, in folder: URL? = nil) throws -> DataStack {
    try DataStack(
      model: Fixtures.model(modelName),
      store: folder.map { .sqlite($0.appending(path: "\(modelName).sqlite")) } ?? .inMemory)
  }

  /// Runs a body with the main context, on its queue.
  func inMain<Result: Sendable>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result
  {
    try mainContext.performAndWait { try body(mainContext) }
  }

  func count(_ entity: String, _ filter: Filter? = nil) throws -> Int {
    try inMain { try $0.count(Fetch(entityNamed: entity, filter)) }
  }

  /// The objects of an entity as lines: the values of some properties, separated by spaces.
  func shown(_ entity: String, _ properties: String, _ filter: Filter? = nil) throws -> [String] {
    let keys = properties.split(separator: " ").map(String.init)
    return try inMain { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity, filter)).map { object in
        keys.map { text(object.value(forKey: $0)) }.joined(separator: " ")
      }.sorted()
    }
  }

  /// The value of a property of the only object of an entity, as text.
  func only(_ entity: String, _ property: String) throws -> String {
    let lines = try shown(entity, property)
    return lines.count == 1 ? lines[0] : "\(lines.count) objects"
  }
}

/// A value as a line shows it: objects by key, sets in braces, ordered lists in brackets.
private func text(_ value: Any?) -> String {
  switch value {
  case nil: "-"
  case let object as ManagedObject:
    object.entity.primaryKey.map { text(object.value(forKey: $0.name)) } ?? "an object"
  case let members as Set<ManagedObject>: "{\(members.map(text).sorted().joined(separator: ","))}"
  case let members as [ManagedObject]: "[\(members.map(text).joined(separator: ","))]"
  case let date as Date: date.formatted(.iso8601)
  case let value?: "\(value)"
  }
}
