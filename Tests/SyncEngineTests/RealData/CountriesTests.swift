import Foundation
import SyncStack
import TestSupport
import Testing

/// The snapshots of the examples. Their differences were counted by another program.
@Suite struct CountriesTests {
  private let bench: SyncBench

  init() throws {
    bench = try SyncBench(
      ManagedObjectModel(contentsOf: Fixtures.exampleData("Countries.xcdatamodeld")))
  }

  private func sync(
    _ year: Int, into bench: SyncBench
  ) throws -> (report: SyncReport, changes: ChangeSet) {
    try bench.syncWithChanges("", "Country") {
      $0.payload = .file(Fixtures.exampleData("countries-\(year).json"))
      $0.setup.path = "countries"
    }
  }

  @Test func theFirstSnapshotIsInsertedWhole() throws {
    let (report, changes) = try sync(2016, into: bench)
    #expect(report.entities["Country"]?.inserted == 249)
    #expect(report.entities["Subdivision"]?.inserted == 4_847)
    #expect(report.findings.isEmpty)
    #expect(changes.counts == (249 + 4_847, 0, 0))
    #expect(try bench.count("Subdivision") == 4_847)
  }

  @Test func everyDifferenceIsFound() throws {
    _ = try sync(2016, into: bench)
    let (report, changes) = try sync(2024, into: bench)
    let subdivisions = try #require(report.entities["Subdivision"])
    #expect(subdivisions.inserted == 793)
    #expect(subdivisions.updated == 1_151)
    #expect(subdivisions.deleted == 594)
    #expect(subdivisions.unchanged == 3_102)
    #expect(subdivisions.updatedProperties == ["name": 751, "category": 650])
    let countries = try #require(report.entities["Country"])
    #expect(countries.inserted == 0)
    #expect(countries.deleted == 0)
    #expect(countries.updatedProperties["name"] == 4)
    #expect(countries.updatedProperties["officialName"] == 5)
    #expect(countries.updatedProperties["subdivisions"] ?? 88 == 88)
    #expect(report.findings.isEmpty)

    let country = try #require(changes.entities.first { $0.entity.name == "Country" })
    let attributes = Set(
      ["name", "officialName"].compactMap { country.entity.property(named: $0)?.slot })
    let renamed = zip(country.updatedKeys, country.updated).filter { _, update in
      attributes.contains { update.slots.contains($0) }
    }.map(\.0.description)
    #expect(renamed.sorted() == ["CZ", "GM", "MK", "SZ", "TR"])
    let members = try #require(country.entity.property(named: "subdivisions")?.slot)
    #expect(country.updated.count { $0.slots.contains(members) } == 88)
    #expect(country.updated.count == 91)
  }

  @Test(arguments: [2016, 2024]) func theSameSnapshotAgainChangesNothing(year: Int) throws {
    _ = try sync(year, into: bench)
    let (report, changes) = try sync(year, into: bench)
    #expect(report.isUnchanged)
    #expect(changes.isEmpty)
  }

  @Test func goingBackLeadsToTheFirstSnapshot() throws {
    _ = try sync(2016, into: bench)
    let before = (try bench.objects("Country"), try bench.objects("Subdivision"))
    _ = try sync(2024, into: bench)
    let (report, _) = try sync(2016, into: bench)
    #expect(report.entities["Subdivision"]?.inserted == 594)
    #expect(report.entities["Subdivision"]?.deleted == 793)
    #expect(try bench.objects("Country") == before.0)
    #expect(try bench.objects("Subdivision") == before.1)
  }
}
