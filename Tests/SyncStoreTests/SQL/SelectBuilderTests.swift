import Foundation
import SyncStore
import TestSupport
import Testing

/// The text of statements, where its form matters: for indexes, for the statement cache, for names.
@Suite struct SelectBuilderTests {
  private let builder: SelectBuilder
  private let model: ManagedObjectModel

  init() throws {
    model = try TestModels.queries()
    builder = SelectBuilder(layout: TableLayout(model: model))
  }

  private func condition(_ filter: Filter, _ entity: String = "Company") throws -> SQLText {
    try builder.condition(filter, for: model.requireEntity(named: entity))
  }

  @Test(arguments: [
    ("name == 'x'", #"("Company"."name" IS ?)"#), ("name != 'x'", #"("Company"."name" IS NOT ?)"#),
    ("name == nil", #"("Company"."name" IS NULL)"#), ("rating > 3", #"("Company"."rating" > ?)"#),
    ("NOT rating > 3", #"NOT ifnull("Company"."rating" > ?, 0)"#),
    ("name IN {'a', 'b'}", #"("Company"."name" IN (?, ?))"#), ("name IN {}", "0"),
    ("name BEGINSWITH 'a'", #"("Company"."name" >= ? AND "Company"."name" < ?)"#),
    ("name CONTAINS 'a'", #"(instr("Company"."name", ?) > 0)"#),
    ("name ==[c] 'A'", #"(syncstack_fold("Company"."name", 1) IS ?)"#),
    (
      "ANY employees.age > 3",
      #"EXISTS (SELECT 1 FROM "Person" _syncstack1 WHERE _syncstack1."company" = "Company"._row AND (_syncstack1."age" > ?))"#
    ),
    (
      "employees.@count == 0",
      #"((SELECT count(*) FROM "Person" _syncstack1 WHERE _syncstack1."company" = "Company"._row) IS ?)"#
    ),
    (
      "city.name > 'x'",
      #"((SELECT _syncstack1."name" FROM "City" _syncstack1 WHERE _syncstack1._row = "Company"."city") > ?)"#
    ),
  ])
  func conditionsAreOfAFormThatIndexesServe(text: String, sql: String) throws {
    #expect(try condition(Filter(text)).text == sql)
  }

  @Test func anIndexedAttributeBehindAToOneIsLookedUpFromThatSide() throws {
    #expect(
      try condition("company.name == 'x'", "Person").text
        == #"("Person"."company" IN (SELECT _syncstack1._row FROM "Company" _syncstack1 WHERE (_syncstack1."name" IS ?)))"#
    )
    #expect(try condition("company.name != 'x'", "Person").text.hasPrefix("((SELECT"))
  }

  @Test(arguments: ["'; DROP TABLE Company; --", "x\"y", "?"])
  func valuesAreAlwaysBound(text: String) throws {
    let condition = try condition(Filter("name == %@ AND name LIKE %@", text, text))
    #expect(!condition.text.contains(text) || text == "?")
    #expect(condition.bindings == [.string(text), .string(text)])
  }

  @Test(arguments: [9, 10, 20_000])
  func longListsShareOneStatement(count: Int) throws {
    let numbers = try condition(Filter("rating IN %@", Array(0..<count)))
    #expect(numbers.text == #"("Company"."rating" IN (SELECT value FROM json_each(?)))"#)
    #expect(numbers.bindings.count == 1)
    #expect(try condition(Filter("name IN %@", (0..<count).map(String.init))).bindings.count == 1)
    let dates = (0..<count).map { Date(timeIntervalSinceReferenceDate: Double($0) + 0.1) }
    #expect(try condition(Filter("founded IN %@", dates)).bindings.count == 1)
  }

  @Test(arguments: [("ab", "ac"), ("a\u{D7FF}", "a\u{E000}"), ("a\u{10FFFF}", "b")])
  func aPrefixIsARangeOfTexts(prefix: String, end: String) throws {
    #expect(
      try condition(Filter("name BEGINSWITH %@", prefix)).bindings == [
        .string(prefix), .string(end),
      ])
  }

  @Test func plansSelectOrderAndCut() throws {
    var plan = FetchPlan(
      entity: try model.requireEntity(named: "Employee"), filter: "level > 1",
      sort: ["-name", "salary"],
      limit: 5, offset: 2)
    #expect(
      try builder.identifiers(plan).text
        == #"SELECT "Person"._row, "Person"._entity FROM "Person" WHERE "Person"._entity IN (2) AND ("Person"."level" > ?) "#
        + #"ORDER BY "Person"."name" DESC, "Person"."salary" COLLATE syncstack_decimal, "Person"._row LIMIT ? OFFSET ?"#
    )
    plan.limit = nil
    plan.offset = 0
    #expect(try builder.count(plan).text.hasPrefix("SELECT count(*) FROM \"Person\" WHERE"))
  }

  @Test func transientAttributesAreNotInTheStore() throws {
    let error = #expect(throws: FilterError.self) { try condition("moment == nil", "Person") }
    #expect(error?.code == .unsupported && error?.key == "moment")
  }
}
