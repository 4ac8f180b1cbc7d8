import Foundation
import SyncCore
import TestSupport
import Testing

@Suite struct FilterValidationTests {
  private func error(_ filter: Filter) throws -> FilterError {
    let entity = try TestModels.queries().requireEntity(named: "Person")
    return try #require(throws: FilterError.self) { try filter.validated(for: entity) }
  }

  @Test(arguments: [
    ("nme == 1", "Person", "nme"), ("company.nme == 1", "Company", "nme"),
    ("ANY notes.nme == 1", "Note", "nme"), ("name.length == 1", "Person", "length"),
    ("notes.@sum.nme == 1", "Note", "nme"), ("salary == 1", "Person", "salary"),
    ("SUBQUERY(notes, $n, $n.nme == 1).@count == 1", "Note", "nme"),
  ])
  func unknownKeysNameEntityAndKnownKeys(text: String, entity: String, key: String) throws {
    let error = try error(Filter(text))
    #expect(error.code == .unknownKey)
    #expect(error.entity == entity)
    #expect(error.key == key)
    if key == "nme" { #expect(error.message.contains(entity == "Note" ? "stars" : "name")) }
  }

  @Test(arguments: [
    "age == 'x'", "name == 5", "name > 5", "born == 5", "born == 'yesterday'", "token == 'x'",
    "blob == 'x'", "company == 5", "company < nil", "company > SELF", "company == boss",
    "name + 1 == 2", "born * 2 == 5", "age CONTAINS 'x'", "age LIKE '*'", "age ==[c] 5",
    "age IN {1, 'x'}", "age IN 5", "age BETWEEN {1}", "age BETWEEN 5", "age == {1, 2}",
    "age %% 2.5 == 1", "notes.@sum.text == 1", "notes.@avg.text == 1", "shape == 5",
    "notes.@sum.author == 1", "age & 1.5 == 1", "score & 1 == 1", "price | 1 == 1",
    "length(age) == 1",
    "abs(name) == 1", "uppercase(born) == 'x'", "floor(company) == 1", "name == age",
    "isActive == 'YES'", "shape == shape",
  ])
  func sidesThatDoNotCompareAreErrors(text: String) throws {
    let error = try error(Filter(text))
    #expect(error.code == .typeMismatch, "\(error)")
    #expect(error.text != nil)
  }

  @Test(arguments: [
    "notes.text == 'x'", "notes == nil", "notes.@count.x == 1 OR notes.author.age > 3",
    "ANY name == 'x'",
    "ALL company.name == 'x'", "company.@count == 1", "age.@count == 1", "tags.name CONTAINS 'x'",
    "name == notes.text", "notes.@sum.tags.rank == 1",
  ])
  func pathsToManyNeedAQuantifier(text: String) throws {
    let error = try error(Filter(text))
    #expect([.toManyPath, .unsupported, .typeMismatch].contains(error.code), "\(error)")
  }

  @Test(arguments: ["moment == nil", "boss.moment == nil", "ANY company.employees.moment == nil"])
  func transientKeysAreErrors(text: String) throws {
    let error = try error(Filter(text))
    #expect(error.code == .unsupported && error.entity == "Person" && error.key == "moment")
  }

  @Test func objectsOfOtherEntitiesAreErrors() throws {
    let graph = MemoryGraph(model: try TestModels.queries())
    let tag = try graph.add("Tag")
    #expect(try error(Filter("company == %@", tag.id)).code == .typeMismatch)
    #expect(try error(Filter("SELF IN %@", [tag.id])).code == .typeMismatch)
    #expect(try error(Filter("name == %@", tag.id)).code == .typeMismatch)
  }

  @Test func aPatternThatIsNoneIsFoundBeforeAnyObjectIs() throws {
    #expect(try error("name MATCHES '('").code == .invalidPattern)
  }

  @Test func aValidFilterComesBack() throws {
    let entity = try TestModels.queries().requireEntity(named: "Employee")
    #expect(
      try Filter("salary > 5 AND name != nil").validated(for: entity).description.contains("salary")
    )
  }

  @Test func constantsOfOtherKindsFit() throws {
    let entity = try TestModels.queries().requireEntity(named: "Person")
    for filter in [
      Filter("token == %@", "a0000000-0000-4000-8000-000000000001"),
      Filter("link == %@", "http://x"),
      Filter("link CONTAINS 'x'"), Filter("born > %@", "2024-01-02T03:04:05Z"),
      Filter("age == 1.5"),
      Filter("price < %@", Double.infinity),
      Filter("isActive == 1"),
      Filter("age == %@", Decimal(string: "1.5")), Filter("shape == nil"),
      Filter("blob == %@", Data()),
    ] {
      #expect(throws: Never.self) { try filter.validated(for: entity) }
    }
  }
}
