import Foundation
import SyncGraph
import TestSupport
import Testing

/// A document, classes and drafts that say the same give the same model.
@Suite struct ModelEqualityTests {
  @Test(arguments: ModelSource.allCases)
  func everyDescriptionIsTheSame(_ source: ModelSource) throws {
    let model = try source.model()
    let other = try ModelSource.drafts.model()
    #expect(Set(model.entities.map(\.name)) == Set(other.entities.map(\.name)))
    #expect(model.versionIdentifier == other.versionIdentifier)
    for entity in other.entities {
      let twin = try model.requireEntity(named: entity.name)
      #expect(describe(twin) == describe(entity))
      #expect(twin.primaryKey?.name == entity.primaryKey?.name)
      #expect(twin.superentity?.name == entity.superentity?.name)
      #expect(twin.rootEntity.name == entity.rootEntity.name)
      #expect(Set(twin.subentities.map(\.name)) == Set(entity.subentities.map(\.name)))
      #expect(twin.properties.map(\.name) == entity.properties.map(\.name))
      for (left, right) in zip(twin.properties, entity.properties) {
        #expect(describe(left) == describe(right))
        #expect(left.slot == right.slot && left.isColumn == right.isColumn)
      }
      for relationship in entity.relationships {
        let match = try #require(twin.relationship(named: relationship.name))
        #expect(twin.destination(of: match).name == entity.destination(of: relationship).name)
        #expect(twin.inverse(of: match)?.name == entity.inverse(of: relationship)?.name)
      }
    }
  }

  @Test(arguments: ModelSource.allCases)
  func fingerprintAndTablesAreTheSame(_ source: ModelSource) throws {
    #expect(try source.model().versionHash == ModelSource.drafts.model().versionHash)
    let text = try source.model().storageDescription
    #expect(
      try ManagedObjectModel(storageDescription: text).versionHash
        == ModelSource.drafts.model().versionHash)
  }

  @Test(arguments: ModelSource.allCases, ModelSource.allCases)
  func oneOpensTheFileOfTheOther(_ first: ModelSource, _ second: ModelSource) throws {
    let folder = try TemporaryFolder()
    do {
      let stack = try Setup(source: first, objects: .keys).stack(in: folder)
      try stack.edit { try $0.make("Book", ["id": 1, "title": "Emma"]) }
      try stack.close()
    }
    let stack = try Setup(source: second, objects: .keys).stack(in: folder)
    try stack.inBackground { context in
      let titles = try context.all("Book").map { $0["title"] as? String }
      #expect(titles == ["Emma"])
    }
    // It was opened as it is: no copy for a migration lies beside it.
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!files.contains { $0.contains("backup") })
  }

  /// Everything that the public properties of an entity say, except its class.
  private func describe(_ entity: EntityDescription) -> String {
    let constraints = entity.uniquenessConstraints
    return "\(entity.name) \(entity.isAbstract) \(constraints) \(entity.indexes) "
      + "\(entity.userInfo.sorted { $0.key < $1.key }) \(entity.renamingIdentifier ?? "")"
  }

  private func describe(_ property: PropertyDescription) -> String {
    switch property {
    case .attribute(let attribute):
      """
      \(attribute.name) \(attribute.type) \(attribute.isOptional) \(attribute.isTransient) \
      \(String(reflecting: attribute.defaultValue)) \(attribute.valueTransformerName ?? "") \
      \(String(reflecting: attribute.validation)) \(attribute.preservesValueInHistory) \
      \(attribute.userInfo.sorted { $0.key < $1.key }) \(attribute.renamingIdentifier ?? "") \
      \(attribute.valueClassName ?? "")
      """
    case .relationship(let relationship):
      """
      \(relationship.name) \(relationship.isOptional) \(relationship.isTransient) \
      \(relationship.isToMany) \(relationship.isOrdered) \(relationship.minCount) \
      \(relationship.maxCount) \(relationship.deleteRule) \(relationship.destinationName) \
      \(relationship.inverseName ?? "") \(relationship.userInfo.sorted { $0.key < $1.key }) \
      \(relationship.renamingIdentifier ?? "")
      """
    }
  }
}
