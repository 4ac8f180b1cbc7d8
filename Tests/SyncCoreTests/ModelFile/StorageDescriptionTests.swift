import Foundation
import SyncCore
import TestSupport
import Testing

@Suite struct StorageDescriptionTests {
  private static let models: [@Sendable () throws -> ManagedObjectModel] = [
    TestModels.social, TestModels.tree, TestModels.vehicles, TestModels.allTypes,
    TestModels.relationships, everything,
  ]

  @Test(arguments: models.indices)
  func aModelComesBackAsItWas(_ index: Int) throws {
    let model = try Self.models[index]()
    let text = model.storageDescription
    let copy = try ManagedObjectModel(storageDescription: text)
    #expect(copy.entities.count == model.entities.count)
    for (left, right) in zip(copy.records, model.records) {
      #expect(left.userInfo == right.userInfo)
      #expect(plain(left) == plain(right))
    }
    #expect(copy.storageDescription == text)
    #expect(copy.versionHash == model.versionHash)
    #expect(copy.versionIdentifier == model.versionIdentifier)
  }

  @Test func aDamagedDescriptionIsAnErrorThatSaysWhoseItIs() {
    #expect {
      try ManagedObjectModel(storageDescription: "<model>")
    } throws: { ($0 as? ModelError)?.message.hasPrefix("The model kept in the store") == true }
  }

  /// The record as text without dictionaries, which have no order.
  private func plain(_ record: EntityRecord) -> String {
    var record = record
    record.userInfo = [:]
    record.slots = [:]
    return String(reflecting: record)
  }

  /// A model in which everything says something.
  @Sendable private static func everything() throws -> ManagedObjectModel {
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    return try ManagedObjectModel(
      [
        EntityDraft(
          "Ä",
          [
            .attribute("id", .integer16, isOptional: false, defaultValue: -1),
            .attribute("text", .string, isPrimaryKey: true, defaultValue: " \"<&>'\n\t\r]]>😀 "),
            .attribute("empty", .string, defaultValue: ""),
            .attribute("decimal", .decimal, defaultValue: .decimal(Decimal(string: "1.10")!)),
            .attribute("double", .double, defaultValue: 1e-300),
            .attribute("flag", .boolean, defaultValue: false),
            .attribute(
              "date", .date, defaultValue: .date(date),
              validation: ValidationRules(minimum: .date(date), maximum: .date(date + 1))),
            .attribute("bytes", .binary, defaultValue: .data(Data([0, 255]))),
            .attribute("uuid", .uuid, defaultValue: .uuid(UUID())),
            .attribute("link", .uri, defaultValue: "https://example.org/?a=b&c=d"),
            .attribute("scratch", .string, isTransient: true),
            .attribute(
              "name", .string,
              validation: ValidationRules(minimum: 1, maximum: 5, regularExpression: "<[a-z]&>")),
            .attribute("color", .transformable, valueTransformerName: "ColorTransformer"),
            .attribute(
              AttributeDescription(
                "kind", .string, preservesValueInHistory: true, valueClassName: "Kind")
            ),
            .toMany(
              "children", to: "Ä", isOrdered: true, deleteRule: .noAction, isOptional: false,
              minCount: 1, maxCount: 4, remoteKey: "a.b", renamingIdentifier: "kids"),
          ], isAbstract: true, className: ".Class",
          uniquenessConstraints: [["id"], ["id", "text"]],
          indexes: [
            FetchIndexDescription(
              name: "by name",
              elements: [.init(property: "name"), .init(property: "id", ascending: false)])
          ], userInfo: ["": "", "k\n": "v"], renamingIdentifier: "Old")
      ], versionIdentifier: "1.0 & more")
  }
}
