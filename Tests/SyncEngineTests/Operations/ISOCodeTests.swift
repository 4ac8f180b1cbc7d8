import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// The documents of iso-codes, as they are: thousands of real objects with real gaps.
@Suite(.enabled(if: ISOCodes.areInstalled, "iso-codes is not installed"))
struct ISOCodeTests {
  /// Says which country a subdivision belongs to: the part of its code before the hyphen.
  final class CountryFromCode: SyncDelegate {
    func sync(
      _ sync: Sync, willInsert item: JSONValue, in entityName: String, parent: ManagedObjectID?
    ) -> JSONValue {
      guard entityName == "Subdivision", case .object(var members) = item,
        let country = item["code"]?.stringValue?.split(separator: "-").first
      else { return item }
      members["country_id"] = .string(String(country))
      return .object(members)
    }
  }

  private func makeStack() throws -> DataStack {
    try DataStack(model: ManagedObjectModel(contentsOf: Fixtures.isoModel), store: .inMemory)
  }

  private func items(_ standard: String) throws -> [JSONValue] {
    try #require(
      try JSONValue(parsing: Data(contentsOf: ISOCodes.url(standard)))[standard]?.arrayValue)
  }

  @Test(arguments: [("3166-1", "Country"), ("639-3", "Language")])
  func theDocumentsAreSyncedAsTheyStand(_ standard: String, _ entity: String) async throws {
    let stack = try makeStack()
    let count = try items(standard).count
    let path = JSONPath(standard)
    let first = try await stack.sync(ISOCodes.url(standard), inEntityNamed: entity, at: path)
    #expect(first.inserted == count)
    #expect(first.findings.isEmpty)
    let second = try await stack.sync(ISOCodes.url(standard), inEntityNamed: entity, at: path)
    #expect(second.isUnchanged)
    #expect(second.unchanged == count)
  }

  @Test func subdivisionsAreLinkedToCountriesAndToEachOther() async throws {
    let stack = try makeStack()
    try await stack.sync(ISOCodes.url("3166-1"), inEntityNamed: "Country", at: "3166-1")
    let items = try items("3166-2")
    let codes = Set(items.compactMap { $0["code"]?.stringValue })
    let parents = items.compactMap { $0["parent"]?.stringValue }
    let known = parents.filter(codes.contains).count

    let delegate = CountryFromCode()
    let sync = Sync(
      .file(ISOCodes.url("3166-2")), inEntityNamed: "Subdivision", dataStack: stack, at: "3166-2")
    sync.delegate = delegate
    let report = try await stack.sync(sync)
    #expect(report.inserted == items.count)
    #expect(report.count(of: .unresolvedReference) == parents.count - known)

    try stack.store.read { reader in
      var withCountry = 0
      var withParent = 0
      let entity = try stack.model.requireEntity(named: "Subdivision")
      let country = try #require(entity.relationship(named: "country")).slot
      let parent = try #require(entity.relationship(named: "parent")).slot
      try reader.scan(entity, .all) { cursor in
        if cursor.integer(country) != nil { withCountry += 1 }
        if cursor.integer(parent) != nil { withParent += 1 }
      }
      #expect(withCountry == items.count)
      #expect(withParent == known)
    }
    let again = Sync(
      .file(ISOCodes.url("3166-2")), inEntityNamed: "Subdivision", dataStack: stack, at: "3166-2")
    again.delegate = delegate
    #expect(try await stack.sync(again).isUnchanged)
  }
}
