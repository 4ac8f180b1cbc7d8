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
  init(_ stack: DataStack) { self.stack = stack }

  @discardableResult
  func sync(_ json: JSONValue, with source: some PlanSource) throws -> SyncReport {
    try stack.sync(json, with: source)
  }

  @discardableResult
  func sync(_ json: String, with source: some PlanSource) throws -> SyncReport {
    try stack.sync(json, with: source)
  }

  /// Syncs, and fails with the first item that cannot be used.
  @discardableResult
  func syncStrictly(
    _ json: some SyncPayloadConvertible, with source: some Serializer
  ) throws -> SyncReport {
    return try Sync(json, with: source, dataStack: stack).run { $0.onItemError = .fail }
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

  static func batches(
    _ mapping: Mapping = ["batchID": .int("id"), "name": .string(["info", "name"])]
  ) -> EntitySerializer<ManagedObject> {
    EntitySerializer(entityNamed: "Batch").by("batchID", mapping)
  }

  static func clicks(
    _ mapping: Mapping = ["clickID": .int("id"), "text": .string("text")]
  ) -> EntitySerializer<ManagedObject> {
    EntitySerializer(entityNamed: "Click").by("clickID", mapping)
  }

  static func employees(
    _ mapping: Mapping = ["employeeID": .int("id"), "name": .string("name")]
  ) -> EntitySerializer<ManagedObject> {
    EntitySerializer(entityNamed: "Employee").by("employeeID", mapping)
  }

  static func departments(
    _ mapping: Mapping = ["departmentID": .int("id"), "name": .string("name")]
  ) -> EntitySerializer<ManagedObject> {
    EntitySerializer(entityNamed: "Department").by("departmentID", mapping)
  }

  static func batchesWithClicks(
    _ change: @escaping @Sendable (inout EntitySerializer<ManagedObject>) -> Void = { _ in }
  ) -> EntitySerializer<ManagedObject> {
    batches([
      "batchID": .int("id"), "name": .string("name"),
      "clicks": .toMany("clicks") { clicks().with(change) },
    ])
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
