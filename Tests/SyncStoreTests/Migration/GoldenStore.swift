import Foundation
import SyncStore
import TestSupport
import Testing

/// The store that each format leaves behind: a little of everything that a file holds.
struct GoldenStore {
  /// The format that the library writes.
  static let currentFormat = 1

  /// Formats that were ever written.
  static let formats = [1]

  let format: Int
  let folder: URL

  init(_ format: Int, in folder: URL? = nil) throws {
    self.format = format
    self.folder =
      try folder ?? #require(Bundle.module.url(forResource: "Golden", withExtension: nil))
  }

  private func file(_ kind: String) -> URL { folder.appending(path: "format-\(format).\(kind)") }

  var isWritten: Bool { FileManager.default.fileExists(atPath: file("sqlite").path) }

  func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(xml: Data(contentsOf: file("xml")))
  }

  /// The objects of the store when it was written.
  func content() throws -> [String] {
    try String(contentsOf: file("txt"), encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// A copy that may be written.
  func copy(to url: URL) throws {
    try FileManager.default.copyItem(at: file("sqlite"), to: url)
  }

  // MARK: - Writing

  /// Writes the files of the current format.
  func write() throws {
    let model = try GoldenStore.newModel()
    var configuration = Store.Configuration(.file(file("sqlite")))
    configuration.keepsHistory = true
    configuration.processName = "golden"
    configuration.now = { Date(timeIntervalSinceReferenceDate: 700_000_000) }
    let store = try Store(model: model, configuration: configuration)
    try GoldenStore.fill(store)
    let content = try GoldenStore.content(of: store).map { $0 + "\n" }.joined()
    try store.close()
    try Data(model.storageDescription.utf8).write(to: file("xml"))
    try Data(content.utf8).write(to: file("txt"))
  }

  /// Objects, then history.
  static func content(of store: Store) throws -> [String] {
    let history = try store.read { try $0.history() }
    return try store.graph()
      + history.flatMap { transaction in
        transaction.changes.map { change in
          let kept = change.tombstone.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
          let parts = [
            "\(transaction.token.number)", "\(transaction.source)", "\(change.kind)", change.entity,
            "\(change.row)",
          ]
          return (parts + change.properties + kept).joined(separator: " ")
        }
      }
  }

  private static func newModel() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "Item",
        [.attribute("id", .integer64, isOptional: false, isPrimaryKey: true)]
          + AttributeType.allCases.map { .attribute("\($0)", $0) }
          + [
            .toOne("owner", to: "Owner", inverse: "items"),
            .toOne("twin", to: "Item", inverse: "twin"),
          ], uniquenessConstraints: [["id"]]),
      "Special < Item: rank integer16",
      EntityDraft(
        "Owner",
        [
          "name", "items ->> Item.owner ordered cascade", "tags ->> Tag.owners ordered",
          "friends ->> Owner.friends",
        ]),
      EntityDraft(
        "Tag", ["name", "owners ->> Owner.tags"],
        indexes: [.init(name: "byName", elements: [.init(property: "name", ascending: false)])]),
    ])
  }

  private static func fill(_ store: Store) throws {
    var random = SeededGenerator(seed: 1)
    try store.write { transaction in
      try transaction.insert("Owner", [["name": "Ann"], ["name": "Bob"], ["name": "Zoë"]])
      try transaction.insert("Tag", [["name": "red"], ["name": "blue"]])
      for id in 1...4 {
        var object: [String: Value] = ["id": .int(Int64(id))]
        for type in AttributeType.allCases {
          object["\(type)"] = RandomGraph.value(type, &random)
        }
        if id == 4 { object["rank"] = 9 }
        try transaction.insert(id == 4 ? "Special" : "Item", [object])
      }
    }
    try store.link("Owner", "items", [(1, 4), (1, 1), (2, 2)])
    try store.link("Owner", "tags", [(1, 2), (1, 1), (3, 1)])
    try store.link("Owner", "friends", [(1, 3)])
    try store.write { transaction in
      try transaction.update("Item", 1, ["twin": 2, "string": "changed"])
      try transaction.update("Item", 2, ["twin": 1])
      _ = try transaction.delete([3], of: store.model.requireEntity(named: "Item"))
    }
  }
}
