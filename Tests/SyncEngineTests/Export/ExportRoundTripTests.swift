import Foundation
import SyncStack
import TestSupport
import Testing

/// Importing an export changes nothing, whatever the objects and however they hang together.
@Suite struct ExportRoundTripTests {
  enum Model: String, CaseIterable {
    case social, relationships, tree, vehicles, allTypes, annotated

    func make() throws -> ManagedObjectModel {
      switch self {
      case .social: try TestModels.social()
      case .relationships: try TestModels.relationships()
      case .tree: try TestModels.tree()
      case .vehicles: try TestModels.vehicles()
      case .allTypes: try TestModels.allTypes()
      case .annotated: try AnnotatedModel.make()
      }
    }
  }

  /// Saves random objects with random values and random links.
  private func fill(_ bench: ExportBench, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let context = bench.stack.newBackgroundContext()
    try context.queueConfined {
      var objects: [ManagedObject] = []
      for entity in context.model.entities where !entity.isAbstract {
        for _ in 0..<Int.random(in: 2...6, using: &random) {
          let object = try context.insert(entityNamed: entity.name)
          for attribute in entity.attributes {
            let isKey = attribute.name == entity.primaryKey?.name
            object.setValue(
              isKey ? key(attribute.type, objects.count) : value(attribute, &random),
              forKey: attribute.name)
          }
          objects.append(object)
        }
      }
      for object in objects {
        for relationship in object.entity.relationships where random.chance(60) {
          let destination = object.entity.destination(of: relationship)
          let others = objects.filter { $0.entity.isKind(of: destination) }
          link(object, relationship, others, &random)
        }
      }
      try context.save()
    }
  }

  private func value(_ attribute: AttributeDescription, _ random: inout SeededGenerator) -> Any? {
    let type = attribute.objectTransformerName == nil ? attribute.type : .string
    switch RandomGraph.value(type, &random) {
    case .null: return nil
    case .data(let data) where attribute.type == .transformable: return data
    case let value: return value
    }
  }

  private func key(_ type: AttributeType, _ number: Int) -> Any {
    switch type {
    case .string: "k\(number)"
    case .uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
    default: number
    }
  }

  private func link(
    _ object: ManagedObject, _ relationship: RelationshipDescription, _ others: [ManagedObject],
    _ random: inout SeededGenerator
  ) {
    guard !others.isEmpty else { return }
    if relationship.isToMany {
      let count = Int.random(in: 0...3, using: &random)
      let members = (0..<count).map { _ in random.pick(others) }
      object.setValue(members, forKey: relationship.name)
    } else {
      object.setValue(random.pick(others), forKey: relationship.name)
    }
  }

  @Test(arguments: Model.allCases, 0..<4)
  func importingAnExportChangesNothing(model: Model, seed: Int) throws {
    let bench = try ExportBench(model.make())
    try fill(bench, seed: UInt64(seed))
    let before = try bench.dump()
    for entity in bench.stack.model.entities where !entity.isAbstract {
      for inflection in ExportOptions.InflectionType.allCases {
        for form in ExportOptions.RelationshipType.allCases {
          let options = ExportOptions(inflectionType: inflection, relationshipType: form)
          let json = try bench.stack.export(entity.name, using: options)
          let report = try bench.sync(.json(json), entity.name)
          #expect(report.isUnchanged, "\(entity.name) \(inflection) \(form): \(report)\n\(json)")
          #expect(try bench.dump() == before, "\(entity.name) \(inflection) \(form)")
        }
      }
    }
  }

  @Test(arguments: Model.allCases, 0..<4)
  func objectsAndRowsGiveTheSame(model: Model, seed: Int) throws {
    let bench = try ExportBench(model.make())
    try fill(bench, seed: UInt64(seed))
    for entity in bench.stack.model.entities {
      let objects = try bench.export(entity.name)
      let rows = try bench.stack.export(entity.name)
      #expect(objects.description == rows.description)
    }
  }

  @Test(arguments: [Model.social, .annotated, .tree, .vehicles], 0..<6)
  func anExportFillsAnEmptyStore(model: Model, seed: Int) throws {
    let bench = try ExportBench(model.make())
    try fill(bench, seed: UInt64(seed))
    let copy = try ExportBench(model.make())
    let entities = bench.stack.model.entities.filter { !$0.isAbstract && $0.primaryKey != nil }
    for entity in entities {
      try copy.sync(.json(try bench.stack.export(entity.name)), entity.name)
    }
    for entity in entities {
      let sorted = { (bench: ExportBench) in
        // Infinity, which JSON cannot say, is nothing in the copy.
        let options = ExportOptions(relationshipType: .none, nullHandling: .omitted)
        let key = try #require(entity.primaryKey?.name)
        return try bench.stack.export(entity.name, sortedBy: [SortKey(key)], using: options)
      }
      #expect(try sorted(copy) == sorted(bench), "\(entity.name)")
    }
  }

  @Test func resourcesAreWrittenAsTheyAreRead() throws {
    let stack = try DataStack.inMemory([
      "BlogPost: id, title, author -> Person.posts, categories ->> Category.posts",
      "Person sync.type=users: id, name, posts ->> BlogPost.author",
      "Category: id, name, posts ->> BlogPost.categories",
    ])
    try stack.sync(
      #"[{"id": 1, "title": "a", "author": {"id": 9, "name": "Ann"}, "categories": [{"id": 5, "name": "x"}]}, {"id": 2}]"#,
      inEntityNamed: "BlogPost")
    let json = try stack.export("BlogPost", using: .jsonAPI)
    #expect(
      json.arrayValue?.first == [
        "type": "blog_posts", "id": "1", "attributes": ["title": "a"],
        "relationships": [
          "author": ["data": ["type": "users", "id": "9"]],
          "categories": ["data": [["type": "categories", "id": "5"]]],
        ],
      ])
    let report = try stack.sync(
      .jsonAPI(JSONValue.object(["data": json])), inEntityNamed: "BlogPost")
    #expect(report.isUnchanged, "\(report)")
  }
}
