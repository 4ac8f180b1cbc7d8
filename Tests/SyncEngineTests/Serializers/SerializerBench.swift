import Foundation
import SyncStack
import TestSupport
import Testing

/// A stack in memory with batches of clicks and employees of departments, and a short way to ask
/// for stored objects.
struct SerializerBench {
  let stack: DataStack

  init(_ location: DataStack.Location = .inMemory) throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "Batch",
        [
          "batchID integer64", "name", "branch integer64", "weight double", "moment date",
          "flag boolean", .attribute("level", .integer64, defaultValue: 7),
          "clicks ->> Click.batch", "ordered ->> Click.groups ordered",
        ]),
      "Click: clickID integer64, text, batch -> Batch.clicks, groups ->> Batch.ordered",
      """
      Employee: employeeID integer64, name, department -> Department.employees,
      manager -> Employee.reports, reports ->> Employee.manager
      """,
      "Department: departmentID integer64, name, employees ->> Employee.department",
    ])
    stack = try DataStack(model: model, store: location)
  }

  /// Takes a stack of another model.
  init(_ stack: DataStack) {
    self.stack = stack
  }

  /// Syncs, and fails with the first item that cannot be used.
  @discardableResult
  func syncStrictly(
    _ json: some SyncPayloadConvertible, with source: some Serializer
  ) throws -> SyncReport {
    let sync = Sync(json, with: source, dataStack: stack)
    sync.onItemError = .fail
    sync.start()
    return try #require(sync.result).get()
  }

  /// Stores objects as they are, without keys of any kind.
  func insert(_ entity: String, _ objects: [[String: any Sendable]]) throws {
    try stack.inBackground { context in
      for values in objects {
        let object = try context.insert(entityNamed: entity)
        for (name, value) in values { object.setValue(value, forKey: name) }
      }
      try context.save()
    }
  }

  /// The objects of an entity, sorted: their attributes, and behind an arrow the keys of the
  /// objects that a relationship leads to.
  func objects(_ entity: String, _ attributes: String..., links: [String] = []) throws -> [String] {
    return try stack.inBackground { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity)).map { object in
        var parts = attributes.map { SerializerBench.text(object.value(forKey: $0)) }
        for link in links {
          let key = SerializerBench.keys(object, link)
          parts.append("→ " + key.joined(separator: ","))
        }
        return parts.joined(separator: " ")
      }.sorted()
    }
  }

  private static func text(_ value: Any?) -> String {
    switch value {
    case let date as Date: "\(date.timeIntervalSince1970)"
    case let value?: "\(value)"
    case nil: "nil"
    }
  }

  private static func keys(_ object: ManagedObject, _ link: String) -> [String] {
    func key(_ object: ManagedObject) -> String {
      let name = object.entity.properties.first { $0.attribute != nil }?.name ?? ""
      return text(object.value(forKey: name))
    }
    switch object.value(forKey: link) {
    case let one as ManagedObject: return [key(one)]
    case let many as Set<ManagedObject>: return many.map(key).sorted()
    case let many as [ManagedObject]: return many.map(key)
    default: return []
    }
  }

  static func batches() -> EntitySerializer<ManagedObject> {
    var serializer = EntitySerializer(entityNamed: "Batch")
    serializer.identifiers = ["batchID"]
    serializer.mapping = ["batchID": .int("id"), "name": .string(["info", "name"])]
    return serializer
  }

  static func clicks() -> EntitySerializer<ManagedObject> {
    var serializer = EntitySerializer(entityNamed: "Click")
    serializer.identifiers = ["clickID"]
    serializer.mapping = ["clickID": .int("id"), "text": .string("text")]
    return serializer
  }

  static func batchesWithClicks(
    _ change: @escaping @Sendable (inout EntitySerializer<ManagedObject>) -> Void = { _ in }
  ) -> EntitySerializer<ManagedObject> {
    var serializer = batches()
    serializer.mapping = [
      "batchID": .int("id"), "name": .string("name"),
      "clicks": .toMany("clicks") { clicks().with(change) },
    ]
    return serializer
  }
}

/// The error that a call throws, or nil.
func thrown<Failure: Error>(
  _ type: Failure.Type = Failure.self, _ body: () throws -> Void
) throws -> Failure? {
  do {
    try body()
    return nil
  } catch let error as Failure {
    return error
  }
}
