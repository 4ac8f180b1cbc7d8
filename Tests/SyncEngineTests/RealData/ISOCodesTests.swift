import Foundation
import SyncStack
import TestSupport
import Testing

/// The documents of iso-codes as they are: their own keys, the list under the standard's name. The
/// expected numbers were counted in the documents of version 4.15 and are checked against the
/// installed ones.
@Suite(.enabled(if: ISOCodes.areInstalled, "the package iso-codes is not installed"))
struct ISOCodesTests {
  private func bench() throws -> SyncBench {
    try SyncBench(ManagedObjectModel(contentsOf: Fixtures.isoModel))
  }

  private func sync(
    _ standard: String, _ entity: String, into bench: SyncBench
  ) throws -> SyncReport {
    try bench.sync("", entity) {
      $0.payload = .file(ISOCodes.url(standard))
      $0.setup.path = JSONPath(standard)
      guard entity == "Subdivision" else { return }
      $0.hooks.willInsert = { item, _, _ in
        guard var object = item.objectValue, let code = object["code"]?.stringValue else {
          return item
        }
        object["country_id"] = .string(String(code.prefix { $0 != "-" }))
        return .object(object)
      }
    }
  }

  /// The objects of a document, read another way.
  private func items(_ standard: String) throws -> [[String: Any]] {
    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: ISOCodes.url(standard)))
    return try #require((document as? [String: Any])?[standard] as? [[String: Any]])
  }

  @Test(arguments: [("3166-1", "Country", 249), ("639-3", "Language", 7_910)])
  func everyObjectIsStoredOnce(standard: String, entity: String, atLeast: Int) throws {
    let bench = try bench()
    let expected = try items(standard).count
    let report = try sync(standard, entity, into: bench)
    #expect(expected >= atLeast)
    #expect(report.entities[entity]?.inserted == expected)
    #expect(report.findings.isEmpty)
    #expect(try bench.count(entity) == expected)
    #expect(try sync(standard, entity, into: bench).isUnchanged)
  }

  @Test func subdivisionsAreLinkedToTheirCountriesAndParents() throws {
    let bench = try bench()
    _ = try sync("3166-1", "Country", into: bench)
    let items = try items("3166-2")
    let codes = Set(items.compactMap { $0["code"] as? String })
    let parents = items.compactMap { $0["parent"] as? String }
    let known = parents.count { codes.contains($0) }
    let report = try sync("3166-2", "Subdivision", into: bench)
    #expect(report.entities["Subdivision"]?.inserted == items.count)
    #expect(items.count >= 5_000)
    #expect(known > 0 && known < parents.count)
    #expect(report.count(of: .unresolvedReference) == parents.count - known)
    let stored = try bench.objects("Subdivision")
    #expect(stored.count { $0.contains(" country=") } == items.count)
    #expect(stored.count { $0.contains(" parent=") } == known)
    #expect(
      stored.contains { $0.hasPrefix("category=Canton code=CH-ZH ") && $0.contains("country=CH") })
    #expect(try sync("3166-2", "Subdivision", into: bench).isUnchanged)
  }
}
