import Foundation
import SyncCore
import TestSupport
import Testing

/// The meaning of filters, on a graph small enough to see through.
///
/// ```
/// Ann (40, Acme in Oslo)  notes: milk ***, bread *       boss of Bob
/// Bob (nil, no company)   notes: Milch ** (done)
/// Eve (20, Acme)          no notes
/// ```
@Suite struct FilterSemanticsTests {
  private let graph: MemoryGraph
  private let ann: MemoryObject
  private let bob: MemoryObject
  private let acme: MemoryObject
  private let milk: MemoryObject

  init() throws {
    graph = MemoryGraph(model: try TestModels.queries())
    ann = try graph.add("Person", ["name": "Ann", "age": 40, "price": .decimal(2.5), "score": 0.5])
    bob = try graph.add("Person", ["name": "Bob", "isActive": true])
    let eve = try graph.add(
      "Person", ["name": "Ève", "age": 20, "born": .date(Date(timeIntervalSinceReferenceDate: 0))])
    acme = try graph.add("Company", ["name": "Acme", "rating": 3])
    let oslo = try graph.add("City", ["name": "Oslo"])
    graph.connect(acme, "city", oslo)
    graph.connect(ann, "company", acme)
    graph.connect(eve, "company", acme)
    graph.connect(bob, "boss", ann)
    milk = try graph.add("Note", ["text": "milk", "stars": 3])
    let bread = try graph.add("Note", ["text": "bread", "stars": 1])
    let milch = try graph.add("Note", ["text": "Milch", "stars": 2, "isDone": true])
    graph.connect(ann, "notes", milk)
    graph.connect(ann, "notes", bread)
    graph.connect(bob, "notes", milch)
  }

  /// First letters of the names of those that the filter means.
  private func who(_ filter: Filter) throws -> String {
    let entity = try graph.model.requireEntity(named: "Person")
    let resolved = try filter.resolved(for: entity)
    return try graph.all(entity).filter { try resolved.matches($0) }
      .map { $0.values[0].description.prefix(1) }.joined()
  }

  @Test(arguments: [
    ("age == nil", "B"), ("age != nil", "AÈ"), ("age == 40", "A"), ("age != 40", "BÈ"),
    ("NOT age == 40", "BÈ"), ("age < 40", "È"), ("NOT age < 40", "AB"), ("age >= nil", ""),
    ("NOT age >= nil", "ABÈ"), ("age IN {40, nil}", "AB"), ("NOT age IN {40}", "BÈ"),
    ("age IN {}", ""), ("nick == name", ""), ("nick == nick", "ABÈ"), ("nick CONTAINS ''", ""),
    ("NOT nick CONTAINS 'x'", "ABÈ"), ("age + 1 == nil", "B"), ("age / 0 == nil", "ABÈ"),
    ("age BETWEEN {20, 30}", "È"), ("NOT age BETWEEN {20, 30}", "AB"),
  ])
  func absentValuesAreDifferentFromAllOthers(text: String, people: String) throws {
    #expect(try who(Filter(text)) == people)
  }

  @Test(arguments: [
    ("name == 'ann'", ""), ("name ==[c] 'ann'", "A"), ("name ==[d] 'Eve'", "È"),
    ("name ==[cd] 'eve'", "È"), ("name BEGINSWITH 'A'", "A"), ("name ENDSWITH[c] 'B'", "B"),
    ("name CONTAINS 'o'", "B"), ("name LIKE '?nn'", "A"), ("name LIKE[c] 'b*'", "B"),
    ("name MATCHES '[AB].*'", "AB"), ("name MATCHES[c] 'ANN|bob'", "AB"), ("name IN {'Ann'}", "A"),
    ("name IN[cd] {'EVE', 'bob'}", "BÈ"), ("name < 'B'", "A"), ("name <[cd] 'c'", "AB"),
    ("name IN 'Anna and Bob'", "AB"), ("name == 'E\u{300}ve'", ""),
  ])
  func textsCompareByteByByteUnlessTold(text: String, people: String) throws {
    #expect(try who(Filter(text)) == people)
  }

  @Test(arguments: [
    ("company.name == 'Acme'", "AÈ"), ("company.city.name == 'Oslo'", "AÈ"),
    ("company.city.name == nil", "B"), ("boss.company.city.name == 'Oslo'", "B"),
    ("company == nil", "B"), ("boss.company != nil", "B"), ("company.rating > 2", "AÈ"),
    ("company.name != 'Acme'", "B"), ("partner.company == company", "B"),
  ])
  func pathsOverAbsentObjectsAreAbsent(text: String, people: String) throws {
    #expect(try who(Filter(text)) == people)
  }

  @Test(arguments: [
    ("ANY notes.stars > 2", "A"), ("SOME notes.stars > 0", "AB"), ("ALL notes.stars > 1", "BÈ"),
    ("NONE notes.stars > 2", "BÈ"), ("NOT ANY notes.stars > 2", "BÈ"),
    ("ANY notes.text ==[c] 'MILK'", "A"), ("ANY team.notes.isDone == YES", "A"),
    ("ANY company.employees.name == 'Ann'", "AÈ"), ("ANY notes.text IN {'Milch', 'x'}", "B"),
    ("ANY notes.stars BETWEEN {1, 1}", "A"), ("'bread' IN notes.text", "A"),
    ("ANY notes.stars == age", ""), ("ANY notes.isDone == nil", "A"),
    ("ALL notes.isDone == nil", "AÈ"),
  ])
  func quantifiersCountMembers(text: String, people: String) throws {
    #expect(try who(Filter(text)) == people)
  }

  @Test(arguments: [
    ("notes.@count == 0", "È"), ("notes.@count > 1", "A"), ("notes.@sum.stars == 4", "A"),
    ("notes.@sum.stars == 0", "È"), ("notes.@avg.stars == 2", "AB"),
    ("notes.@avg.stars == nil", "È"),
    ("notes.@min.stars == 1", "A"), ("notes.@max.text == 'milk'", "A"),
    ("team.notes.@count == 1", "A"),
    ("SUBQUERY(notes, $n, $n.stars > 1 AND $n.text BEGINSWITH[c] 'mil').@count == 1", "AB"),
    ("SUBQUERY(notes, $n, $n.stars > age).@count == 0", "ABÈ"),
    ("SUBQUERY(team, $t, ANY $t.notes.isDone == YES).@count == 1", "A"),
    ("SUBQUERY(company.employees, $e, $e != SELF AND $e.age < age).@count == 1", "A"),
    ("company.employees.@max.age == 40", "AÈ"), ("notes.@count + 38 == age", "A"),
  ])
  func aggregatesCalculateOverMembers(text: String, people: String) throws {
    #expect(try who(Filter(text)) == people)
  }

  @Test(arguments: [
    ("age / 3 == 13", "A"), ("age %% 3 == 1", "A"), ("-age < -30", "A"), ("age ** 2 == 1600", "A"),
    ("price * 2 == 5", "A"), ("price == 2.5", "A"), ("price IN {1, 2.50}", "A"),
    ("score * 2 == 1", "A"),
    ("price + score == 3", "A"), ("born + 60 == '2001-01-01T00:01:00Z'", "È"),
    ("born <= '2001-01-01'", "È"), ("age * 9223372036854775807 > 1e20", "AÈ"),
    ("isActive == 1", "B"),
    ("age > 19.5 AND age < 20.5", "È"), ("1 + 1 == 2", "ABÈ"),
  ])
  func numbersAndDatesCalculate(text: String, people: String) throws {
    #expect(try who(Filter(text)) == people)
  }

  @Test(arguments: [
    ("(age & 8) == 8", "A"), ("(age & 4) == 4", "È"), ("(age & 8) != 0", "AB"),
    ("age | 1 == 41", "A"),
    ("age ^ 1 == 21", "È"),
    ("(age & ~8) == 32", "A"), ("1 << 3 == age / 5", "A"), ("age >> 1 == 10", "È"),
    ("age & 1 == nil", "B"), ("abs(age - 50) == 10", "A"), ("ceiling(price) == 3", "A"),
    ("floor(-price) == -3", "A"), ("trunc(-price) == -2", "A"), ("floor(score) == 0", "A"),
    ("sqrt(age * 10) == 20", "A"), ("sqrt(-age) == nil", "ABÈ"), ("abs(age) == nil", "B"),
    ("length(name) == 3", "ABÈ"), ("length(nick) == nil", "ABÈ"), ("lowercase(name) == 'ève'", "È"),
    ("uppercase(name) IN {'ANN', 'BOB'}", "AB"), ("ANY notes.stars > length(name) - 1", "A"),
    ("SUBQUERY(notes, $n, length($n.text) == 5).@count > 0", "AB"), ("abs(-age) == 40", "A"),
  ])
  func bitsAndFunctionsCalculate(text: String, people: String) throws {
    #expect(try who(Filter(text)) == people)
  }

  @Test func objectsCompareByIdentity() throws {
    #expect(try who(Filter("company == %@", acme.id)) == "AÈ")
    #expect(try who(Filter("company != %@", acme.id)) == "B")
    #expect(try who(Filter("SELF == %@", ann.id)) == "A")
    #expect(try who(Filter("SELF IN %@", [ann.id, bob.id])) == "AB")
    #expect(try who(Filter("NOT SELF IN %@", [ann.id])) == "BÈ")
    #expect(try who(Filter("notes CONTAINS %@", milk.id)) == "A")
    #expect(try who(Filter("%@ IN notes", milk.id)) == "A")
    #expect(try who(Filter("ANY notes == %@", milk.id)) == "A")
    #expect(try who(Filter("boss IN %@", [ann.id])) == "B")
    #expect(try who(Filter("company IN %@", [] as [ManagedObjectID])) == "")
  }

  @Test func filtersCombine() throws {
    let old = Filter("age > 30")
    let bob = Filter("name == 'Bob'")
    #expect(try who(old || bob) == "AB")
    #expect(try who(old && bob) == "")
    #expect(try who(!(old || bob)) == "È")
    #expect(try who(.true && old) == "A")
    #expect(try who(.false || old) == "A")
    #expect(try who(.all([])) == "ABÈ")
    #expect(try who("age > 30") == "A")
  }

  @Test func filtersAreMadeWithoutText() throws {
    #expect(try who(.compare(["age"], .greaterOrEqual, 40)) == "A")
    #expect(
      try who(.compare(["company", "name"], .equal, "acme", options: .caseInsensitive)) == "AÈ")
    #expect(try who(.compare(["name"], .notEqual, path: ["nick"])) == "ABÈ")
    #expect(try who(.compare([], .equal, object: ann.id)) == "A")
    #expect(try who(.compare(["notes"], .contains, object: milk.id)) == "A")
    #expect(try who(.member(["age"], of: [20, 40])) == "AÈ")
    #expect(try who(.member([], of: [bob.id])) == "B")
    #expect(try who(.between(["age"], 10, 20)) == "È")
    #expect(try who(.compare(.count, of: ["notes"], key: [], .equal, 2)) == "A")
    let good = try Filter.subquery(
      ["notes"], where: "stars > 1 AND ANY tags.name == nil || stars == 2")
    #expect(try who(.compare(.aggregate(.count, good, key: []), .equal, .value(1))) == "B")
  }
}
