import SyncStack
import Testing

@testable import SyncCloud

/// A list is shared no more, or shared anew, while machines put sections into it and take them out.
@Suite struct SharedAnewTests {
  private let scene: Scene
  /// Another machine of the owner, and one of the guest.
  private let tablet: Client
  private let phone: Client

  init() async throws {
    // Objects come home page by page.
    let server = MemoryTransport(account: "ann", limits: CloudLimits(batch: 7, page: 5))
    scene = try await Scene([server, server.signedIn(as: "bob")], now: Scene.clock())
    let guest = scene.guest
    let list = try guest.insert("List", ["name": "Guest's"])
    try guest.insert("Section", ["name": "G", "list": .int(list)])
    try await guest.engine.sync()
    tablet = try scene.machine(0)
    phone = try scene.machine(1)
    try await tablet.engine.sync()
  }

  private func stop(_ client: Client) async throws {
    try await client.engine.stopSharing(
      ManagedObjectID(
        entity: scene.model.requireEntity(named: "List"), row: id("List", "Shopping", client)))
  }

  private func id(_ entity: String, _ name: String, _ client: Client) throws -> Int64 {
    let name = Value.string(name)
    return try #require(try client.rows(entity).first { $0.values[0] == name }).id.row
  }

  private func put(_ section: String, _ list: String, _ client: Client) throws {
    try client.update(
      "Section", id("Section", section, client), ["list": .int(id("List", list, client))])
  }

  private func share() async throws {
    try await scene.guest.engine.accept(scene.share(.readWrite).invitation)
  }

  /// Syncs all until nothing moves, and expects that machines of one account have the same.
  ///
  /// - Returns: The content of the owner's machines, and of the guest's.
  private func expectRest() async throws -> [[String]] {
    let machines = [[scene.owner, tablet], [scene.guest, phone]]
    try await rest(Array(machines.joined()), rounds: 6)
    var all: [[String]] = []
    for (account, machines) in machines.enumerated() {
      let fresh = try scene.machine(account)
      try await fresh.engine.sync()
      let paths = try Scene.paths(fresh)
      for client in machines { #expect(try Scene.paths(client) == paths) }
      all.append(paths)
    }
    return all
  }

  /// The section in the share that has ended is the one in the share that has begun.
  @Test func whatLedIntoAnEndedShareLeadsIntoTheNextOne() async throws {
    try await share()
    try await phone.engine.sync()
    try put("G", "Shopping", phone)
    try await sync(phone, scene.owner)
    try await stop(scene.owner)
    try await share()
    // The guest's first machine has heard of the new share, and of nothing else.
    try scene.guest.update(
      "Note", id("Note", "n1", scene.guest), ["section": .int(id("Section", "G", scene.guest))])
    let paths = try await expectRest()
    #expect(paths[1].filter { $0.contains("/n1/") } == ["Shopping/Food/n1/-", "Shopping/G/n1/-"])
  }

  /// A section that was taken back, and is in the share all the same, is two; a reference to one's
  /// own stays with that.
  @Test func whatWasTakenBackKeepsWhatLeadsToIt() async throws {
    try await share()
    try await phone.engine.sync()
    try scene.guest.insert(
      "Note", ["title": "mine", "section": .int(id("Section", "G", scene.guest))])
    try put("G", "Shopping", phone)
    try await sync(phone, scene.guest)
    try put("G", "Guest's", scene.guest)
    try await scene.owner.engine.sync()
    try await stop(scene.owner)
    try await scene.guest.engine.sync()
    try await share()
    let paths = try await expectRest()
    #expect(paths[1].filter { $0.contains("/mine/") } == ["Guest's/G/mine/-"])
  }

  /// Of two sections of one name, one's own and the one in the share, the latter is edited by its
  /// owner while it is taken out.
  @Test func whatIsTakenOutBesideItsNamesakeIsNotMergedIntoThat() async throws {
    try await share()
    try await phone.engine.sync()
    try put("G", "Shopping", phone)
    try await sync(phone, scene.guest)
    try put("G", "Guest's", scene.guest)
    try await scene.owner.engine.sync()
    try await stop(scene.owner)
    try await scene.guest.engine.sync()
    try await share()
    _ = try await expectRest()
    let shopping = try Value.int(id("List", "Shopping", scene.guest))
    let shared = try #require(
      try scene.guest.rows("Section").first {
        $0.values[0] == .string("G") && $0.values[1] == shopping
      })
    try scene.guest.update(
      "Section", shared.id.row, ["list": .int(id("List", "Guest's", scene.guest))])
    try await scene.guest.passStamps()
    try scene.owner.update("Section", id("Section", "G", scene.owner), ["name": "renamed"])
    try await scene.owner.engine.sync()
    _ = try await expectRest()
    for machine in [scene.guest, phone] {
      #expect(try names(machine).filter { $0.hasPrefix("Guest's/") } == ["Guest's/G", "Guest's/G"])
    }
  }

  /// Sections with the lists that they are below.
  private func names(_ client: Client) throws -> [String] {
    let lists = try client.rows("List")
    return try client.rows("Section").map { section in
      let list = lists.first { .int($0.id.row) == section.values[1] }
      return "\(list?.values[0] ?? .null)/\(section.values[0])"
    }.sorted()
  }

  /// It is known that the share has ended before its objects have come home.
  @Test(arguments: [true, false])
  func whatStillWaitsInAnEndedShareIsLedToWhatComesHome(_ takesFirst: Bool) async throws {
    try tablet.insert("Note", ["title": "late", "section": .int(id("Section", "Food", tablet))])
    try await share()
    try await sync(tablet, scene.owner)
    try put("Food", "Secret", tablet)
    try put("Food", "Guest's", scene.guest)
    if takesFirst { try await tablet.engine.sync() }
    try await sync(scene.guest, scene.owner)
    try await stop(tablet)
    let paths = try await expectRest()
    // The section belongs to the account that took it first.
    #expect(
      paths[0].filter { $0.contains("/late/") }
        == [takesFirst ? "Secret/Food/late/-" : "none/none/late/-"])
  }
}
