import SyncCore
import TestSupport
import Testing

@Suite struct ModelVersionHashTests {
  private static let base = EntityDraft(
    "A",
    [
      .attribute("id", .integer64), .attribute("x", .string), .toOne("b", to: "B", inverse: "a"),
      .toMany("c", to: "A", inverse: "d"), .toMany("d", to: "A", inverse: "c"),
    ])
  private static let other = EntityDraft("B", [.toMany("a", to: "A", inverse: "b")])

  private func fingerprint(_ change: (inout [EntityDraft]) -> Void = { _ in }) throws -> String {
    var drafts = [Self.base, Self.other]
    change(&drafts)
    return try ManagedObjectModel(drafts).versionHash
  }

  @Test func isTheSameInEveryProcess() throws {
    #expect(try fingerprint() == "31d1bea1174e823a")
  }

  @Test func doesNotChangeWithWhatIsNotStored() throws {
    let expected = try fingerprint()
    let changes: [(inout [EntityDraft]) -> Void] = [
      { $0.reverse() },
      { $0[0].properties.swapAt(0, 1) },
      { $0[0].properties[0] = .attribute("id", .integer16) },
      { $0[0].properties[0] = .attribute("id", .integer64, isPrimaryKey: true) },
      { $0[0].properties[1] = .attribute("x", .string, remoteKey: "y", defaultValue: "z") },
      { $0[0].properties[1] = .attribute("x", .string, renamingIdentifier: "w") },
      { $0[1].properties[0] = .toMany("a", to: "A", inverse: "b", deleteRule: .deny, maxCount: 9) },
      { $0[0].properties.append(.attribute("t", .string, isTransient: true)) },
      { $0[0].className = "Class" },
      { $0[0].userInfo = ["key": "value"] },
      { $0[0].renamingIdentifier = "Old" },
    ]
    for (index, change) in changes.enumerated() {
      #expect(try fingerprint(change) == expected, "change \(index)")
    }
  }

  @Test func changesWithWhatIsStored() throws {
    let changes: [(inout [EntityDraft]) -> Void] = [
      { _ in },
      { $0[0].properties[1] = .attribute("y", .string) },
      { $0[0].properties[1] = .attribute("x", .integer64) },
      { $0[0].properties[1] = .attribute("x", .uuid) },
      { $0[0].properties[1] = .attribute("x", .string, isOptional: false) },
      { $0[0].properties[1] = .attribute("x", .string, isPrimaryKey: true) },
      { $0[0].properties.remove(at: 1) },
      { $0[0].properties.swapAt(3, 4) },
      { $0[1].properties[0] = .toMany("a", to: "A", inverse: "b", isOrdered: true) },
      { $0[1].properties[0] = .toOne("a", to: "A", inverse: "b") },
      { $0.append(EntityDraft("C", [])) },
      { $0.append(EntityDraft("C", superentity: "A")) },
      { $0[0].isAbstract = true },
      { $0[0].uniquenessConstraints = [["x"]] },
      { $0[0].indexes = [FetchIndexDescription(name: "i", elements: [.init(property: "x")])] },
    ]
    let fingerprints = try changes.map { try fingerprint($0) }
    #expect(Set(fingerprints).count == changes.count, "\(fingerprints)")
  }

  @Test func dependsOnTheOrderOfSiblingsThatShareAColumnName() throws {
    let drafts = [
      EntityDraft("A", []), EntityDraft("B", [.attribute("x", .string)], superentity: "A"),
      EntityDraft("C", [.attribute("x", .integer64)], superentity: "A"),
    ]
    let first = try ManagedObjectModel(drafts)
    let second = try ManagedObjectModel(drafts.reversed())
    #expect(first.versionHash != second.versionHash)
  }
}
