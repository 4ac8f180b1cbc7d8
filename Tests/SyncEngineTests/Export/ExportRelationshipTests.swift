import SyncStack
import TestSupport
import Testing

@Suite struct ExportRelationshipTests {
  private let nested = ExportOptions(relationshipType: .nested)
  private let nestedCamel = ExportOptions(inflectionType: .camelCase, relationshipType: .nested)

  /// An owner with a to-one and a to-many whose names have several words.
  private func bench() throws -> ExportBench {
    let bench = try ExportBench(entities: [
      "User: id, camelCaseCompany -> Company.user, oldNotes ->> Note.user",
      "Company: id, user -> User.camelCaseCompany",
      "Note: id, destroy boolean, user -> User.oldNotes",
    ])
    try bench.sync(
      #"{"id": 1, "camel_case_company": {"id": 7}, "old_notes": [{"id": 1}, {"id": 2}]}"#)
    return bench
  }

  @Test func listsAreArraysByDefault() throws {
    let notes: JSONValue = [["id": 1, "destroy": nil], ["id": 2, "destroy": nil]]
    #expect(try bench().first() == ["id": 1, "camel_case_company": ["id": 7], "old_notes": notes])
    #expect(
      try bench().first("User", .camelCase)
        == ["id": 1, "camelCaseCompany": ["id": 7], "oldNotes": notes])
  }

  @Test func theNestedFormNumbersTheMembers() throws {
    let notes: JSONValue = ["0": ["id": 1, "_destroy": nil], "1": ["id": 2, "_destroy": nil]]
    #expect(
      try bench().first("User", nested) == [
        "id": 1, "camel_case_company_attributes": ["id": 7], "old_notes_attributes": notes,
      ])
    #expect(
      try bench().first("User", nestedCamel)
        == ["id": 1, "camelCaseCompanyAttributes": ["id": 7], "oldNotesAttributes": notes])
  }

  @Test func relationshipsCanBeLeftOut() throws {
    #expect(try bench().first("User", .excludedRelationships) == ["id": 1])
  }

  @Test func anEmptyToOneIsLeftOutAndAnEmptyListIsEmpty() throws {
    let bench = try bench()
    try bench.sync(#"{"id": 1, "camel_case_company": null, "old_notes": []}"#)
    #expect(try bench.first() == ["id": 1, "old_notes": []])
    #expect(try bench.first("User", nested) == ["id": 1, "old_notes_attributes": [:]])
  }

  @Test func theWayBackIsPassedOverAtEveryDepth() throws {
    let bench = try ExportBench(entities: [
      "Building: id, apartments ->> Apartment.building",
      "Apartment: id, building -> Building.apartments, rooms ->> Room.apartment",
      "Room: id, apartment -> Apartment.rooms",
    ])
    let json: JSONValue = ["id": 1, "apartments": [["id": 1, "rooms": [["id": 1], ["id": 2]]]]]
    try bench.sync(.json(json), "Building")
    #expect(try bench.first("Building") == json)
    #expect(try bench.first("Room") == ["id": 1, "apartment": ["id": 1, "building": ["id": 1]]])
  }

  @Test func treesEndInEmptyLists() throws {
    let bench = try ExportBench(entities: [
      "Recursive: id string, recursive -> Recursive.recursives, recursives ->> Recursive.recursive"
    ])
    let json: JSONValue = [
      "id": "1",
      "recursives": [["id": "2", "recursives": [["id": "3", "recursives": []]]]],
    ]
    try bench.sync(.json(json), "Recursive")
    #expect(try bench.first("Recursive") == json)
  }

  @Test func manyToManyDoesNotTurnAround() throws {
    let bench = try ExportBench(TestModels.social())
    try bench.sync(
      #"[{"id": 1, "tags": [{"id": 5, "name": "x"}]}, {"id": 2, "tags": [{"id": 5}]}]"#)
    let tags = try bench.first()["tags"]
    #expect(tags == [["id": 5, "name": "x"]])
    #expect(try bench.first("Tag")["users"]?.arrayValue?.compactMap { $0["id"] } == [1, 2])
  }

  @Test func waysBackThatAreFollowedEndWhereTheyBegan() throws {
    let bench = try ExportBench(TestModels.social())
    try bench.sync(#"[{"id": 1, "tags": [{"id": 5}]}, {"id": 2, "tags": [{"id": 5}]}]"#)
    var options = ExportOptions(nullHandling: .omitted)
    options.followsWaysBack = true
    let users = try bench.first("User", options).value(at: "tags[0].users")
    #expect(users?[0] == ["id": 1])
    #expect(users?[1]?["tags"] == [["id": 5]])
    #expect(try bench.sync(.json(try bench.export("User", options)), "User").isUnchanged)
  }

  @Test func aCycleEndsInAReference() throws {
    let bench = try ExportBench(entities: ["Page: id, title, links ->> Page, next -> Page"])
    try bench.sync(
      #"[{"id": 1, "title": "a", "links": [{"id": 2, "title": "b"}]}, {"id": 2}]"#, "Page")
    try bench.sync(#"[{"id": 1}, {"id": 2, "links": [{"id": 1}, {"id": 2}]}]"#, "Page")
    let page = try bench.first("Page")
    #expect(
      page == [
        "id": 1, "title": "a",
        "links": [["id": 2, "title": "b", "links": [["id": 1], ["id": 2]]]],
      ])
    #expect(try bench.sync(.json(try bench.export("Page")), "Page").isUnchanged)
  }

  @Test func objectsThatAllLeadToEachOtherAreRefusedNotExportedForEver() throws {
    let bench = try ExportBench(entities: ["Page: id, links ->> Page"])
    let ids = (1...14).map { JSONValue.integer($0) }
    try bench.sync(.json(.array(ids.map { ["id": $0] })), "Page")
    try bench.sync(.json(.array(ids.map { ["id": $0, "links_ids": .array(ids)] })), "Page")
    var options = ExportOptions()
    options.maximumObjects = 20_000
    let error = #expect(throws: ExportError.self) { try bench.export("Page", options) }
    #expect(error?.code == .tooManyObjects && error?.entity == "Page")
    // Each way is at most two long: 14 + 14 × 14 for each page.
    options.maximumDepth = 2
    let json = try bench.export("Page", options)
    #expect(json[13]?["links"]?[0]?["links"]?[1] == ["id": 2])
    #expect(try bench.sync(.json(json), "Page").isUnchanged)
  }

  @Test func chainsEndAtTheDepthLimit() throws {
    let bench = try ExportBench(entities: [
      "Link: id, title, previous -> Link.following, following ->> Link.previous"
    ])
    let items = (1...120).map { JSONValue.object(["id": .integer($0), "title": "t"]) }
    try bench.sync(.json(.array(items)), "Link")
    let links = (2...120).map {
      JSONValue.object(["id": .integer($0), "previous_id": .integer($0 - 1)])
    }
    try bench.sync(.json(.array([["id": 1]] + links)), "Link")
    let json = try bench.export("Link")
    var item = json[0]
    var depth = 0
    while let next = item?["following"]?[0] { (item, depth) = (next, depth + 1) }
    #expect(depth == 100)
    #expect(item == ["id": 101])
    #expect(try bench.sync(.json(json), "Link").isUnchanged)
  }

  @Test func aListOfObjectsWithoutKeyIsLeftOutAtTheDepthLimit() throws {
    let bench = try ExportBench(entities: [
      "Order: id, lines ->> Line.order cascade", "Line: text, order -> Order.lines",
    ])
    try bench.sync(#"[{"id": 1, "lines": [{"text": "a"}, {"text": "b"}]}]"#, "Order")
    var options = ExportOptions()
    options.maximumDepth = 1
    let json = try bench.export("Order", options)
    #expect(json == [["id": 1]])
    #expect(try bench.sync(.json(json), "Order").isUnchanged)
  }

  @Test func keysOfSeveralAttributesAreNoReferences() throws {
    let bench = try ExportBench(entities: [
      "Rate sync.identifiers=currency,day: currency, day",
      "Sale: id, rate -> Rate, rates ->> Rate",
    ])
    let rate = #"{"currency": "EUR", "day": "mon"}"#
    try bench.sync(#"[{"id": 1, "rate": \#(rate), "rates": [\#(rate)]}]"#, "Sale")
    let json = try bench.export("Sale", ExportOptions(relationshipType: .keys))
    #expect(json == [["id": 1]])
    #expect(try bench.sync(.json(json), "Sale").isUnchanged)
  }

  @Test(
    arguments: [
      (
        [
          "Item sync.whenMissing=clear: id, title, lead -> Person.leads, tasks ->> Task.item",
          "Task: id, item -> Item.tasks, assignee -> Person",
          "Person: id, name, leads ->> Item.lead",
        ],
        #"[{"id": 1, "title": "A", "lead": {"id": 7, "name": "L"}, "tasks": [{"id": 2, "assignee_id": 7}]}]"#
      ),
      (
        [
          "Item: id, name, captain -> Player sync.whenMissing=clear",
          "Player: id, name, club -> Item",
        ],
        #"[{"id": 1, "name": "A", "captain": {"id": 9, "name": "P", "club_id": 1}}]"#
      ),
      (
        ["Item: id, name sync.whenMissing=clear, up -> Item, friends ->> Item"],
        #"[{"id": 1, "name": "A", "up_id": 2, "friends_ids": [1, 2]}, {"id": 2, "name": "B"}]"#
      ),
    ] as [([EntityDraft], String)])
  func referencesClearNothingWhereAMissingKeyEmptiesAValue(
    entities: [EntityDraft], payload: String
  ) throws {
    let bench = try ExportBench(entities: entities)
    try bench.sync(payload, "Item")
    for entity in entities.map(\.name) {
      let json = try bench.export(entity)
      #expect(try bench.sync(.json(json), entity).isUnchanged, "\(json)")
    }
  }

  @Test func customKeysOfRelationshipsAreUsed() throws {
    let bench = try ExportBench(entities: [
      """
      User: id, author from relationships.author, notes ->> Note.user from annotations,
      tags ->> Tag from relationships.tags.data
      """,
      "Note: id, user -> User.notes",
      "Tag: id",
    ])
    let json: JSONValue = [
      "id": 1, "annotations": [["id": 1]],
      "relationships": ["author": "Ada", "tags": ["data": [["id": 2]]]],
    ]
    try bench.sync(.json(json), "User")
    #expect(try bench.first() == json)
    #expect(try bench.first("User", .camelCase) == json)
    #expect(try bench.first("User", nested)["annotations_attributes"] == ["0": ["id": 1]])
  }

  @Test func relationshipsThatAreNotExportableAreLeftOut() throws {
    let bench = try ExportBench(entities: [
      EntityDraft(
        "User", ["id", .toMany("notes", to: "Note", userInfo: ["sync.nonExportable": ""])]),
      "Note: id",
    ])
    #expect(try bench.exportNew([:]) == ["id": nil])
  }

  @Test func objectsWithoutAnythingToSayAreLeftOut() throws {
    let hidden = ["sync.nonExportable": ""]
    let bench = try ExportBench(entities: [
      "User: id, notes ->> Note, note -> Note",
      EntityDraft("Note", [.attribute("id", .integer64, userInfo: hidden)]),
    ])
    try bench.sync(#"{"id": 1, "notes": [{"id": 1}], "note": {"id": 1}}"#)
    #expect(try bench.first() == ["id": 1, "notes": []])
  }

  @Test func membersOfSubentitiesAreExportedWhole() throws {
    let bench = try ExportBench(TestModels.vehicles())
    try bench.sync(#"{"id": 1, "owner": {"id": 9}, "doors": 4}"#, "Car")
    try bench.sync(#"{"id": 2, "owner_id": 9, "gears": 21}"#, "Bicycle")
    let vehicles = try bench.first("Person")["vehicles"]
    #expect(vehicles?[0]?["doors"] == 4)
    #expect(vehicles?[1]?["gears"] == 21)
    #expect(vehicles?[0]?["owner"] == nil)
  }
}
