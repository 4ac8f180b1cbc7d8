import Foundation
import SyncStack
import TestSupport
import Testing

/// Which nested objects come, stay and go, where several levels, items and settings meet.
@Suite struct NestedScopeTests {
  /// Descriptions of filters are cut, and the marks that tell groups apart must not be.
  @Test func groupsThatDescriptionsDoNotTellApartAreTwo() {
    let pairs = [
      (Filter("clickID IN %@", Array(1...12)), Filter("clickID IN %@", Array(1...11) + [13])),
      (Filter("text == %@", Data([1, 2])), Filter("text == %@", Data([1, 3]))),
      (
        Filter("date < %@", Date(timeIntervalSinceReferenceDate: 0.1)),
        Filter("date < %@", Date(timeIntervalSinceReferenceDate: 0.1001))
      ),
    ]
    let serializer = NestedSourceCostTests.ClickSerializer()
    for (one, other) in pairs {
      #expect("\(one)" == "\(other)" && one.wholeText != other.wholeText)
      #expect(
        serializer.with { $0.groupers = [one] }.planKey
          != serializer.with { $0.groupers = [other] }.planKey)
    }
  }

  @Test func aGroupOfManyValuesMayChangeFromSyncToSync() throws {
    let bench = try SerializerBench()
    let items = JSONValue.array((1...13).map { ["id": .integer($0), "text": "a"] })
    func sync(_ ids: [Int]) throws -> SyncReport {
      try bench.sync(
        items,
        with: NestedSourceCostTests.ClickSerializer().with {
          $0.groupers = [Filter("clickID IN %@", ids)]
        })
    }
    #expect(try sync(Array(1...12) + [14, 13])["Click"].inserted == 13)
    #expect(try sync(Array(1...12))["Click"].inserted == 1)
    #expect(try sync(Array(1...11) + [13])["Click"].inserted == 1)
  }

  private let bench: SerializerBench

  init() throws { bench = try SerializerBench() }

  private func clicks() throws -> [String] {
    try bench.objects("Click", "clickID", links: ["batch"])
  }

  private func batches() throws -> [String] { try bench.objects("Batch", "batchID", "name") }

  private func employees(
    _ change: @escaping @Sendable (inout EntitySerializer<ManagedObject>) -> Void = { _ in }
  )
    -> EntitySerializer<ManagedObject>
  {
    SerializerBench.employees([
      "employeeID": .int("id"),
      "department": .toOne("dep") {
        SerializerBench.departments(["departmentID": .int([])])
          .with { change(&$0) }
      },
    ])
  }

  @Test func aBareValueNamesTheObjectOfItsKey() throws {
    try bench.insert("Department", [["departmentID": 5, "name": "five"]])
    let report = try bench.sync(
      [["id": 1, "dep": 5], ["id": 2, "dep": 6], ["id": 3, "dep": nil], ["id": 4]],
      with: employees {
        $0.insertMissing = false
        $0.updateExisting = false
      })
    #expect(
      try bench.objects("Employee", "employeeID", links: ["department"]) == [
        "1 → 5", "2 → ", "3 → ", "4 → ",
      ])
    #expect(report.findings(of: .unresolvedReference).count == 1)
    try bench.sync([["id": 2, "dep": 6]], with: employees())
    #expect(try bench.objects("Employee", "employeeID", links: ["department"]) == ["2 → 6"])
    #expect(try bench.objects("Department", "departmentID", "name") == ["5 five", "6 nil"])
  }

  @Test func whatStandsBelowAnObjectThatIsOnlyMatchedIsNotSynced() throws {
    try bench.insert("Batch", [["batchID": 1, "name": "old"]])
    let serializer = SerializerBench.batchesWithClicks().with {
      $0.insertMissing = false
      $0.updateExisting = false
    }
    try bench.sync(
      [["id": 1, "clicks": [["id": 5]]], ["id": 2, "clicks": [["id": 6]]]], with: serializer)
    #expect(try clicks().isEmpty)
    #expect(try batches() == ["1 old"])
  }

  @Test func theFirstItemWinsWithItsChildrenWhereNothingIsUpdated() throws {
    let serializer = SerializerBench.batchesWithClicks().with { $0.updateExisting = false }
    try bench.sync(
      [
        ["id": 1, "name": "a", "clicks": [["id": 5]]],
        ["id": 1, "name": "b", "clicks": [["id": 6]]],
      ], with: serializer)
    #expect(try clicks() == ["5 → 1"])
    #expect(try batches() == ["1 a"])
  }

  @Test(arguments: [0, 1])
  func ofSeveralStoredObjectsOfAKeyAListMeansItsOwnMember(member: Int) throws {
    try bench.stack.inBackground { context in
      let batch = try context.insert(entityNamed: "Batch")
      batch["batchID"] = 1
      for index in 0..<2 {
        let click = try context.insert(entityNamed: "Click")
        click["clickID"] = 7
        click["text"] = index == member ? "mine" : "other"
        if index == member { click["batch"] = batch }
      }
      try context.save()
    }
    try bench.sync(
      [["id": 1, "clicks": [["id": 7, "text": "new"]]]], with: SerializerBench.batchesWithClicks())
    #expect(
      try bench.objects("Click", "clickID", "text", links: ["batch"]).sorted()
        == ["7 new → 1", "7 other → "])
  }

  @Test func theLastListOfAnOwnerWins() throws {
    try bench.sync(
      [
        ["id": 1, "name": "a", "clicks": [["id": 5]]],
        ["id": 1, "name": "b", "clicks": [["id": 6]]],
      ], with: SerializerBench.batchesWithClicks { $0.deleteMissing = false })
    #expect(try clicks() == ["5 → ", "6 → 1"])
  }

  @Test func anObjectThatANestedValidatorDropsCountsAsNotReceived() throws {
    let serializer = SerializerBench.batchesWithClicks {
      $0.validators = [{ $0["bad"] == true ? nil : $0 }]
    }
    try bench.sync([["id": 1, "clicks": [["id": 5], ["id": 6]]]], with: serializer)
    try bench.sync(
      [["id": 1, "clicks": [["id": 5, "bad": true], ["id": 6], nil]]], with: serializer)
    #expect(try clicks() == ["6 → 1"])
  }

  @Test func aNestedObjectWithoutIdentityLetsItsListDeleteNothing() throws {
    let serializer = SerializerBench.batchesWithClicks { $0.policy.missingIdentity = .skip }
    try bench.sync([["id": 1, "clicks": [["id": 5], ["id": 6]]]], with: serializer)
    let report = try bench.sync(
      [["id": 1, "clicks": [["text": "x"], ["id": 6]]]], with: serializer)
    #expect(try clicks().count == 2, "\(report)")
  }

  private func people() -> EntitySerializer<ManagedObject> {
    let plain = SerializerBench.employees()
    return plain.with {
      $0.mapping["manager"] = .toOne("manager") { plain }
      $0.mapping["reports"] = .toMany("reports") { plain }
    }
  }

  @Test func objectsOfAnEntityThatLeadsToItselfAreTakenLevelByLevel() throws {
    try bench.sync([["id": 1, "name": "x", "manager": ["id": 1]]], with: people())
    #expect(try bench.objects("Employee", "employeeID", "name", links: ["manager"]) == ["1 x → 1"])
    try bench.sync(
      [["id": 1, "reports": [["id": 2], ["id": 3]]], ["id": 2, "reports": [["id": 3]]]],
      with: people())
    #expect(
      try bench.objects("Employee", "employeeID", links: ["manager"]) == ["1 → ", "2 → 1", "3 → 2"])
  }

  @Test func aToOneMayEmptyTheGroupOnRequest() throws {
    try bench.insert("Department", [["departmentID": 5], ["departmentID": 6]])
    try bench.sync([["id": 1, "dep": 7]], with: employees { $0.policy.deletionScope = .group })
    #expect(try bench.objects("Department", "departmentID") == ["7"])
  }

  @Test func nestedItemsWithoutIdentifiersAreAllNewAndNothingIsDeleted() throws {
    let serializer = SerializerBench.batchesWithClicks {
      $0.forceInsert = true
      $0.identifiers = []
    }
    try bench.sync(
      [["id": 1, "clicks": [["id": 5], ["id": 5]]], ["id": 2, "clicks": [["id": 5]]]],
      with: serializer)
    #expect(try clicks() == ["5 → 1", "5 → 1", "5 → 2"])
    try bench.sync([["id": 1, "clicks": [["id": 6]]], ["id": 2]], with: serializer)
    #expect(try clicks() == ["5 → ", "5 → ", "5 → 2", "6 → 1"])
  }

  @Test func eachListDeletesFormerMembersOfItsOwnOwner() throws {
    let serializer = SerializerBench.departments([
      "departmentID": .int("id"), "employees": .toMany("staff") { people() },
    ])
    try bench.sync(
      [
        ["id": 1, "staff": [["id": 1, "reports": [["id": 10], ["id": 11]]], ["id": 2]]],
        ["id": 2, "staff": [["id": 3, "reports": [["id": 30]]]]],
      ], with: serializer)
    try bench.sync(
      [
        ["id": 1, "staff": [["id": 1, "reports": [["id": 11]]]]], ["id": 2, "staff": [["id": 3]]],
      ], with: serializer)
    #expect(
      try bench.objects("Employee", "employeeID", links: ["manager", "department"]) == [
        "1 →  → 1", "11 → 1 → ", "3 →  → 2", "30 → 3 → ",
      ])
  }
}
