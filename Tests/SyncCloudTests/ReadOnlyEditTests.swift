import SyncStack
import Testing

@testable import SyncCloud

/// Unsent edits of a participant who may only read any more.
@Suite(.timeLimit(.minutes(5))) struct ReadOnlyEditTests {
  enum Edit: String, CaseIterable, CustomTestStringConvertible {
    case insertion, change, deletion, pair, order
    case moveWithin, moveIn, moveOut

    var testDescription: String { rawValue }

    func make(_ party: Party) throws {
      let guest = party.guest
      switch self {
      case .insertion:
        let food = try party.row("Section", "Food", guest)
        try guest.insert("Note", ["name": "late", "section": .int(food)])
      case .change: try guest.update("Note", party.row("Note", "n1", guest), ["stars": 5])
      case .deletion: try guest.delete("Note", party.row("Note", "n1", guest))
      case .pair: try party.relate("n1", "n2", guest)
      case .order: try party.arrange("Section", "Food", "notes", ["n3", "n1", "n2"], guest)
      case .moveWithin: try party.move("Note", "n1", to: "Tools", guest)
      case .moveIn: try party.move("Note", "g1", to: "Food", guest)
      case .moveOut: try party.move("Note", "n1", to: "G", guest)
      }
    }

    /// Its kind in the list of waiting edits.
    var kind: CloudEdit.Kind {
      switch self {
      case .insertion: .insertion
      case .change, .order, .moveWithin: .change
      case .deletion: .deletion
      case .pair: .pair
      case .moveIn, .moveOut: .move
      }
    }
  }

  private func party(_ server: SharingServer = .memory) async throws -> Party {
    let accounts = try await server.accounts()
    let party = try await Party(Array(accounts.prefix(2)), [2, 2])
    try party.make("Shopping", ["Food": ["n1", "n2", "n3"], "Tools": ["n4"]], party.owner)
    try party.make("Guest's", ["G": ["g1", "g2"]], party.guest)
    for client in party.all { try await client.engine.sync() }
    try await party.share("Shopping")
    return party
  }

  private func restrict(_ party: Party, _ access: CloudZoneState.Access) async throws {
    let guest = CloudParticipant(try await party.transports[1].account(), access)
    try await party.owner.engine.share(party.id("List", "Shopping", party.owner), with: [guest])
  }

  /// Such edits are problems with a name each, and nothing else is held up.
  @Test(arguments: Edit.allCases)
  func whatMayNotBeSentIsAProblemAndIsTakenBack(_ edit: Edit) async throws {
    let party = try await party()
    let guest = party.guest
    let before = try Party.content(guest)
    try edit.make(party)
    try await restrict(party, .readOnly)
    try guest.update("Note", party.row("Note", "g2", guest), ["stars": 1])
    try await guest.engine.sync()
    let problems = guest.engine.status.problems
    #expect(!problems.isEmpty)
    #expect(problems.allSatisfy { $0.reason.contains("read only") })
    let waiting = try await guest.engine.waiting()
    #expect(waiting.contains { $0.kind == edit.kind })
    #expect(waiting.allSatisfy { $0.problem?.contains("read only") == true })
    // One's own goes on, and is shared.
    try await guest.engine.share(
      party.id("List", "Guest's", guest),
      with: [.init(try await party.transports[0].account(), .readOnly)])
    for edit in waiting { try await guest.engine.discard(edit) }
    // An object that came home is sent with the next push.
    #expect(try await guest.engine.waiting().allSatisfy { $0.problem == nil })
    try await party.settle()
    #expect(guest.engine.status.problems == [])
    let shopping = before.filter { $0.hasPrefix("Shopping") }
    for client in party.all {
      #expect(try Party.content(client).filter { $0.hasPrefix("Shopping") } == shopping)
    }
    let names = try Party.content(party.machines[1][1]).filter { $0.hasPrefix("Guest's/G/g2") }
    #expect(names == ["Guest's/G/g2 1"])
    // A moved object is not lost.
    if edit == .moveIn { #expect(try Party.content(guest).contains("none/g1")) }
    if edit == .moveOut {
      #expect(try Party.content(guest).about("Guest's/G:").first?.contains("n1") == true)
    }
  }

  @Test(arguments: Edit.allCases)
  func whatWaitsIsSentWhenTheRightComesBack(_ edit: Edit) async throws {
    let party = try await party()
    try edit.make(party)
    try await restrict(party, .readOnly)
    try await party.guest.engine.sync()
    try await restrict(party, .readWrite)
    let expected = try Party.content(party.guest, of: "Shopping")
    try await party.ends()
    for client in party.all { #expect(try Party.content(client, of: "Shopping") == expected) }
  }

  @Test(arguments: SharingServer.available)
  func revertTakesBackAnInsertionThatMayNotBeSent(_ server: SharingServer) async throws {
    let party = try await party(server)
    try Edit.insertion.make(party)
    try Edit.change.make(party)
    try await restrict(party, .readOnly)
    let guest = party.guest
    try await guest.engine.sync()
    for problem in guest.engine.status.problems { try await guest.engine.revert(problem) }
    #expect(guest.engine.status.problems == [])
    #expect(guest.engine.status.waiting == 0)
    #expect(try Party.content(guest).about("late").isEmpty)
    #expect(try Party.content(guest).about("n1 5").isEmpty)
  }

  /// Edits that can be sent are taken back, too.
  @Test func anEditIsTakenBackBeforeItIsSent() async throws {
    let party = try await party()
    try party.make("New", ["N": ["m1"]], party.owner)
    try party.owner.update("Note", party.row("Note", "n1", party.owner), ["stars": 5])
    try party.owner.delete("Note", party.row("Note", "n2", party.owner))
    let waiting = try await party.owner.engine.waiting()
    #expect(Set(waiting.map(\.kind)) == [.insertion, .change, .deletion])
    for edit in waiting { try await party.owner.engine.discard(edit) }
    #expect(party.owner.engine.status.waiting == 0)
    let seen = try await party.ends()
    #expect(seen[0].about("New").isEmpty && seen[0].about("n1 5").isEmpty)
    #expect(seen[0].about("Shopping/Food:") == ["Shopping/Food: \(["n1", "n2", "n3"])"])
  }
}
