import Foundation
import SyncCore
import SyncGraph
import SyncStore
import TestSupport
import Testing

@testable import SyncCloud

/// The only machine that has the objects dies while it shares a list, ends that, or moves what is
/// in it. `SYNCSTACK_CLOUD_CUTS` is up to which call each of that is tried.
@Suite(.timeLimit(.minutes(60))) struct SharingCutOffTests {
  enum Act: String, CaseIterable {
    case share, stop, takeOut, putIn, between, deleteRoot
    case guestTakes, guestPuts, leave

    /// Calls after which the server has a part of it.
    var calls: [Int] {
      switch self {
      case .share: [16, 18, 21]
      case .stop: [5, 9]
      case .takeOut: [6, 11]
      case .putIn, .deleteRoot: [6]
      case .between: [8, 18, 22]
      case .guestTakes, .guestPuts: [10, 14]
      case .leave: [0]
      }
    }

    var isGuests: Bool { [.guestTakes, .guestPuts, .leave].contains(self) }

    /// Whether objects are to be gone afterwards.
    var removes: Bool { [.deleteRoot, .leave].contains(self) }

    /// Whether objects may be there twice until the machine comes back.
    var doubles: Bool { [.takeOut, .between, .guestTakes].contains(self) }
  }

  /// Before or after the server heard of a call.
  struct Cut: CustomTestStringConvertible {
    let act: Act
    let call: Int
    let isAfter: Bool

    var testDescription: String { "\(act) ends \(isAfter ? "after" : "before") call \(call)" }

    static let all: [Cut] = Act.allCases.flatMap { act in
      guard let count = setting("CUTS") else {
        return act.calls.map { Cut(act: act, call: $0, isAfter: true) }
      }
      return (0..<count).flatMap { call in
        [false, true].map { Cut(act: act, call: call, isAfter: $0) }
      }
    }
  }

  private struct Killed: Error {}

  private let lines: [FaultyTransport]
  private let scene: Scene

  init() async throws {
    let server = MemoryTransport(account: "ann", limits: CloudLimits(batch: 7, page: 5))
    lines = [FaultyTransport(server), FaultyTransport(server.signedIn(as: "bob"))]
    scene = try await Scene(lines, now: Scene.clock())
  }

  private func list(_ name: String, _ client: Client) throws -> ManagedObjectID {
    try #require(try client.rows("List").first { $0.values[0] == .string(name) }).id
  }

  private func put(_ section: String, _ list: String, _ client: Client) async throws {
    let row = try #require(try client.rows("Section").first { $0.values[0] == .string(section) })
    try client.update("Section", row.id.row, ["list": .int(self.list(list, client).row)])
    try await client.engine.sync()
  }

  private func prepare(_ act: Act) async throws {
    let (owner, guest) = (scene.owner, scene.guest)
    let mine = try guest.insert("List", ["name": "Guest's"])
    let section = try guest.insert("Section", ["name": "G", "list": .int(mine)])
    for number in 1...8 {
      try guest.insert("Note", ["title": .string("g\(number)"), "section": .int(section)])
    }
    try await guest.engine.sync()
    guard act != .share else { return }
    try await guest.engine.accept(scene.share(.readWrite).invitation)
    let note = try #require(try scene.row(guest, titled: "n5"))
    try guest.update("Note", note, ["stars": 5])
    try await guest.engine.sync()
    try await owner.engine.sync()
    guard act == .between else { return }
    _ = try await owner.engine.share(
      list("Secret", owner), with: [CloudParticipant(scene.guestName, .readWrite)])
  }

  private func perform(_ act: Act) async throws {
    switch act {
    case .share: _ = try await scene.share(.readWrite)
    case .stop: try await scene.owner.engine.stopSharing(list("Shopping", scene.owner))
    case .takeOut, .between: try await put("Food", "Secret", scene.owner)
    case .putIn: try await put("S", "Shopping", scene.owner)
    case .deleteRoot:
      try scene.owner.delete("List", scene.list)
      try await scene.owner.engine.sync()
    case .guestTakes: try await put("Food", "Guest's", scene.guest)
    case .guestPuts: try await put("G", "Shopping", scene.guest)
    case .leave: try await scene.guest.engine.leave(list("Shopping", scene.guest))
    }
  }

  /// Does something with a machine that dies at a call.
  ///
  /// - Returns: Whether it came to that.
  private func perform(_ cut: Cut) async throws -> Bool {
    let line = lines[cut.act.isGuests ? 1 : 0]
    let last = line.calls.count + cut.call
    line.beforeEachCall { if $0 > last || $0 == last && !cut.isAfter { throw Killed() } }
    line.afterEachCall { if $0 == last { throw Killed() } }
    defer {
      line.beforeEachCall { _ in }
      line.afterEachCall { _ in }
    }
    do {
      try await perform(cut.act)
      return false
    } catch let error as CloudError where error.code == .unreachable {
      return true
    }
  }

  /// Syncs all until nothing moves.
  private func settle(_ clients: [Client]) async throws {
    var isMoving = true
    for round in 1...8 where isMoving {
      isMoving = false
      for client in clients {
        let (pull, push) = try await client.engine.sync()
        isMoving = isMoving || pull.inserted + pull.updated + pull.deleted + push.sent > 0
      }
      #expect(round < 8 || !isMoving)
    }
    for client in clients {
      #expect(try client.engine.status.waiting == 0)
      #expect(try client.engine.status.problems.isEmpty)
      _ = try client.graph()
    }
  }

  /// All that a client has by names and titles, and the pair of notes that stay in one zone.
  private func content(_ client: Client) throws -> [String] {
    let notes = try client.rows("Note")
    let entity = try scene.model.requireEntity(named: "Note")
    let related = try #require(entity.property(named: "related")?.relationship)
    let pairs = try client.stack.store.read { reader in
      try notes.flatMap { note in
        try reader.members(of: related, in: entity, owners: [note.id.row]).map { member in
          let other = notes.first { $0.id.row == member.row }
          return "\(note.values[0]) – \(other?.values[0] ?? .null)"
        }
      }
    }
    return (try Scene.texts(client) + pairs.filter { $0 == "n1 – n2" }).sorted()
  }

  private func expectAll(_ before: [String], in client: Client, doubles: Bool = false) throws {
    let now = try content(client)
    #expect(Set(before).subtracting(now) == [])
    if !doubles { #expect(now.count == before.count) }
  }

  /// New machines have all that the server has.
  @Test(arguments: Cut.all)
  func nothingIsLostWithAMachineThatNeverComesBack(_ cut: Cut) async throws {
    try await prepare(cut.act)
    let (account, isGuests) = (cut.act.isGuests ? 1 : 0, cut.act.isGuests)
    let before = try content(isGuests ? scene.guest : scene.owner)
    guard try await perform(cut) else { return }
    let (fresh, second) = (try scene.machine(account), try scene.machine(account))
    let other = isGuests ? scene.owner : scene.guest
    try await settle([fresh, other])
    try await settle([fresh, other, second])
    #expect(try Scene.paths(fresh) == Scene.paths(second))
    #expect(try content(fresh) == content(second))
    guard !cut.act.removes else { return }
    try expectAll(before, in: fresh, doubles: cut.act.doubles)
    guard [.share, .stop].contains(cut.act) else { return }
    // It goes on as ever.
    let share = try await fresh.engine.share(
      list("Shopping", fresh), with: [CloudParticipant(scene.guestName, .readWrite)])
    try await scene.guest.engine.accept(share.invitation)
    try await settle([fresh, scene.guest, second])
    #expect(try Scene.paths(scene.guest).count == 18 + 8)
    try await fresh.engine.stopSharing(list("Shopping", fresh))
    try await settle([fresh, scene.guest, second])
    #expect(try Scene.paths(scene.guest).count == 8)
    for client in [fresh, second] { try expectAll(before, in: client) }
  }

  /// New machines that were there in between have the same as the one that goes on.
  @Test(arguments: Cut.all)
  func aMachineThatComesBackGoesOn(_ cut: Cut) async throws {
    try await prepare(cut.act)
    let (account, isGuests) = (cut.act.isGuests ? 1 : 0, cut.act.isGuests)
    let (mine, other) = isGuests ? (scene.guest, scene.owner) : (scene.owner, scene.guest)
    let before = try content(mine)
    guard try await perform(cut) else { return }
    let (fresh, second) = (try scene.machine(account), try scene.machine(account))
    try await settle([fresh, other])
    try await settle([mine, fresh, other])
    try await settle([second])
    #expect(try Scene.paths(fresh) == Scene.paths(second))
    #expect(try Scene.paths(mine) == Scene.paths(second))
    if !cut.act.removes { try expectAll(before, in: mine) }
  }
}
