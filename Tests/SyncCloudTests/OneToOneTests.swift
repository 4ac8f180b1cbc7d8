import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

private final class Person: ManagedObject {
  @Attribute var name: String?
  @ToOne(inverse: "holder") var passport: Passport?
}

private final class Passport: ManagedObject {
  @Attribute var number: String?
  @ToOne var holder: Person?
}

/// A one-to-one relationship travels as two fields, one of each record, and is one thing all the
/// same: the pair that was made last holds everywhere, and no object leads to the partner of
/// another one.
@Suite(.timeLimit(.minutes(5))) struct OneToOneTests {
  enum Scene: CaseIterable {
    /// Another person takes the passport that was given away elsewhere.
    case passportTakenTwice
    /// A person gets another passport elsewhere.
    case personPairedTwice
    /// Two pairs change partners elsewhere.
    case swapped
    /// The pair is parted elsewhere.
    case parted
    /// The partner is deleted elsewhere.
    case deleted
  }

  private static func client(_ server: MemoryTransport, clock: Double = 0) throws -> Client {
    try Client(server, model: ManagedObjectModel(Person.self, Passport.self), clock: clock)
  }

  private static func pair(_ client: Client, _ name: String, _ number: String?) throws {
    try client.stack.edit { context in
      let person = try context.fetch(Fetch<Person>("name == %@", name)).first
      person?.passport = try number.flatMap {
        try context.fetch(Fetch<Passport>("number == %@", $0)).first
      }
    }
  }

  private static func delete(_ client: Client, _ number: String) throws {
    try client.stack.edit { context in
      for passport in try context.fetch(Fetch<Passport>("number == %@", number)) {
        context.delete(passport)
      }
    }
  }

  /// The numbers of passports by the names of their holders.
  private static func pairs(_ client: Client) throws -> [String: String] {
    return try client.stack.inBackground { context in
      var result: [String: String] = [:]
      for person in try context.fetch(Fetch<Person>()) {
        result[person.name ?? ""] = person.passport?.number
      }
      return result
    }
  }

  private static func fill(_ client: Client) throws {
    try client.stack.edit { context in
      for name in ["a", "b", "c"] { Person(context: context).name = name }
      for number in ["1", "2", "3"] { Passport(context: context).number = number }
    }
    try pair(client, "a", "1")
    try pair(client, "b", "2")
  }

  private static func expectAgreement(_ clients: [Client], _ server: MemoryTransport) async throws {
    try await settle(clients, fresh: server)
    for client in clients {
      let report = try await client.stack.checkConsistency()
      #expect(report.isConsistent, "\(report)")
    }
  }

  @Test(arguments: Scene.allCases, [1, 50])
  func whoWasPairedLastIsPairedEverywhere(_ scene: Scene, page: Int) async throws {
    let server = MemoryTransport(limits: CloudLimits(batch: 25, page: page))
    let (here, there) = (try Self.client(server), try Self.client(server, clock: 5))
    try Self.fill(here)
    try await Self.expectAgreement([here, there], server)
    // The other machine is later.
    try Self.pair(here, "c", "1")
    switch scene {
    case .passportTakenTwice: try Self.pair(there, "b", "1")
    case .personPairedTwice: try Self.pair(there, "a", "3")
    case .swapped:
      try Self.pair(there, "a", "2")
      try Self.pair(there, "b", "1")
    case .parted: try Self.pair(there, "a", nil)
    case .deleted: try Self.delete(there, "1")
    }
    try await Self.expectAgreement([here, there], server)
    let expected =
      switch scene {
      case .passportTakenTwice: ["b": "1"]
      case .personPairedTwice: ["a": "3", "b": "2"]
      case .swapped: ["a": "2", "b": "1"]
      case .parted, .deleted: ["b": "2"]
      }
    #expect(try Self.pairs(here) == expected)
    #expect(try Self.pairs(there) == expected)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func machinesThatPairAtRandomAgree(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let page = [1, 2, 50].randomElement(using: &random) ?? 1
    let server = MemoryTransport(limits: CloudLimits(batch: 25, page: page))
    let clients = try (0..<3).map { try Self.client(server, clock: Double($0) * 10) }
    try Self.fill(clients[0])
    try await Self.expectAgreement(clients, server)
    for _ in 0..<25 {
      let client = clients[Int.random(in: 0..<3, using: &random)]
      if Int.random(in: 0..<4, using: &random) == 0 {
        _ = try await client.engine.sync()
      } else {
        let name = ["a", "b", "c"].randomElement(using: &random) ?? "a"
        try Self.pair(client, name, ["1", "2", "3", nil].randomElement(using: &random) ?? nil)
      }
    }
    try await Self.expectAgreement(clients, server)
  }

  @Test func whoseFormerPartnerIsOfAnotherEntityOfTheFamilyIsPairedAlone() async throws {
    let model = try ManagedObjectModel([
      "Document: name, cover -> Picture.document",
      "Draft < Document",
      "Picture: document -> Document.cover",
    ])
    let server = MemoryTransport()
    let clients = [try Client(server, model: model), try Client(server, model: model, clock: 60)]
    func lead(_ client: Client, _ entity: String) throws {
      try client.stack.edit { context in
        let fetch = { try context.fetch(Fetch<ManagedObject>(entityNamed: $0)) }
        try #require(try fetch("Picture").first)["document"] = try fetch(entity).first
      }
    }
    try clients[0].insert("Document", ["name": "text"])
    try clients[0].insert("Draft", ["name": "draft"])
    try clients[0].insert("Picture", [:])
    try await settle(clients, fresh: server)
    try lead(clients[0], "Document")
    try await clients[0].engine.sync()
    try lead(clients[1], "Draft")
    try await settle(clients, fresh: server)
    for client in clients {
      #expect(try client.values("Document", "cover").map(\.isNull) == [true, false])
      #expect(try await client.stack.checkConsistency().isConsistent)
    }
  }
}
