import SyncStack
import Testing

@testable import SyncCloud

/// Pairs of many-to-many relationships across the border of a share.
@Suite(.timeLimit(.minutes(5))) struct SharedPairTests {
  private func party(
    _ server: SharingServer = .memory, sharing lists: String...
  ) async throws -> Party {
    let accounts = try await server.accounts()
    let party = try await Party(Array(accounts.prefix(2)), [2, 2])
    try party.make("Shopping", ["Food": ["n1", "n2", "n3"], "Tools": ["n4"]], party.owner)
    try party.make("Secret", ["S": ["s1", "s2"]], party.owner)
    try party.make("Guest's", ["G": ["g1"]], party.guest)
    try await sync(party.all)
    for list in lists { try await party.share(list) }
    return party
  }

  @Test(arguments: SharingServer.available)
  func aPrivateTagOnASharedNoteReachesTheOwnersOtherMachines(_ server: SharingServer) async throws {
    let party = try await party(server, sharing: "Shopping")
    try party.tag("n1", "urgent", party.owner)
    let seen = try await party.ends()
    #expect(seen[0].about("#") == ["Shopping/Food/n1 # urgent"])
    #expect(seen[1].about("#").isEmpty)
    // And is parted there.
    try party.tag("n1", "urgent", party.phone, isAdded: false)
    #expect(try await party.ends()[0].about("#").isEmpty)
  }

  @Test func aPrivateTagOnASharedNoteStaysWhenSharingEnds() async throws {
    let party = try await party(sharing: "Shopping")
    try party.tag("n1", "urgent", party.owner)
    try await party.owner.engine.stopSharing(party.id("List", "Shopping", party.owner))
    #expect(try await party.ends()[0].about("#") == ["Shopping/Food/n1 # urgent"])
    try party.tag("n1", "urgent", party.phone, isAdded: false)
    #expect(try await party.ends()[0].about("#").isEmpty)
  }

  @Test func aGuestsOwnTagIsOnAllHisMachinesAndNoOthers() async throws {
    let party = try await party(sharing: "Shopping")
    try party.tag("n1", "mine", party.guest)
    let seen = try await party.ends()
    #expect(seen[1].about("#") == ["Shopping/Food/n1 # mine"])
    #expect(seen[0].about("#").isEmpty)
  }

  /// Raw requests to the zone show no name of an object outside of it.
  @Test func theSharedZoneSaysNothingOfAPrivateTag() async throws {
    let party = try await party(sharing: "Shopping")
    try party.tag("n1", "urgent", party.owner)
    try party.relate("n1", "s1", party.owner)
    try await party.ends()
    let zone = try #require(try await party.guest.engine.sharedZones().first)
    let page = try await party.transports[1].changes(in: zone, after: nil, limit: 1000)
    #expect(page.records.allSatisfy { $0.content?["type"]?.stringValue?.contains(".") != true })
  }

  @Test(arguments: SharingServer.available)
  func aPairGoesInWithThePrivateNoteThatLeadsToASharedOne(_ server: SharingServer) async throws {
    let party = try await party(server, sharing: "Shopping")
    try party.relate("s1", "n1", party.owner)
    var seen = try await party.ends()
    #expect(seen[0].about(">") == ["Secret/S/s1 > n1"])
    #expect(seen[1].about(">").isEmpty)
    try party.move("Note", "s1", to: "Food", party.phone)
    seen = try await party.ends()
    #expect(seen[0].about(">") == ["Shopping/Food/s1 > n1"])
    #expect(seen[1].about(">") == ["Shopping/Food/s1 > n1"])
    // A guest parts it, and it stays parted at home.
    try party.relate("s1", "n1", party.guest, isAdded: false)
    try await party.ends()
    try await party.owner.engine.stopSharing(party.id("List", "Shopping", party.owner))
    #expect(try await party.ends()[0].about(">").isEmpty)
  }

  /// Which account moves the notes, and whether a pair is joined before the first is moved.
  @Test(arguments: [0, 1], [true, false])
  func aPairFollowsItsNotesFromOneShareIntoAnother(_ account: Int, _ isJoined: Bool) async throws {
    let party = try await party(sharing: "Shopping", "Secret")
    let machines = party.machines[account]
    if isJoined {
      try party.relate("n1", "n2", party.owner)
      try await party.ends()
    }
    try party.move("Note", "n1", to: "S", machines[0])
    _ = try await party.ends()
    if !isJoined { try party.relate("n1", "n2", machines[1]) }
    var seen = try await party.ends()
    #expect(seen[account].about(">") == ["Secret/S/n1 > n2"])
    try party.move("Note", "n2", to: "S", machines[1])
    seen = try await party.ends()
    #expect(seen[0].about(">") == ["Secret/S/n1 > n2"])
    #expect(seen[1].about(">") == ["Secret/S/n1 > n2"])
  }

  @Test func aParticipantTakesOutANoteWithItsPairs() async throws {
    let party = try await party()
    try party.relate("n1", "n2", party.owner)
    try await party.share("Shopping")
    try party.tag("n1", "mine", party.guest)
    try party.relate("g1", "n1", party.guest)
    try await party.ends()
    try party.move("Note", "n1", to: "G", party.guest)
    var seen = try await party.ends()
    #expect(
      seen[1].about(">") + seen[1].about("#")
        == ["Guest's/G/g1 > n1", "Guest's/G/n1 > n2", "Guest's/G/n1 # mine"])
    #expect(seen[0].about(">").isEmpty)
    try party.move("Note", "n1", to: "Tools", party.machines[1][1])
    seen = try await party.ends()
    #expect(
      seen[1].about(">") + seen[1].about("#")
        == ["Guest's/G/g1 > n1", "Shopping/Tools/n1 > n2", "Shopping/Tools/n1 # mine"])
    #expect(seen[0].about(">") == ["Shopping/Tools/n1 > n2"])
  }

  /// Pairs that the phone has joined and parted, and not sent, go along with the objects that the
  /// other machine shares, or shares no more.
  @Test(arguments: [true, false])
  func whatWasNotSentGoesAlong(_ shares: Bool) async throws {
    let party = try await party()
    try party.relate("n1", "n2", party.owner)
    if !shares { try await party.share("Shopping") }
    try await party.ends()
    try party.relate("n1", "n2", party.phone, isAdded: false)
    try party.relate("n2", "n3", party.phone)
    try party.tag("n3", "urgent", party.phone)
    if shares {
      try await party.share("Shopping")
    } else {
      try await party.owner.engine.stopSharing(party.id("List", "Shopping", party.owner))
    }
    let seen = try await party.ends()
    #expect(
      seen[0].about(">") + seen[0].about("#")
        == ["Shopping/Food/n2 > n3", "Shopping/Food/n3 # urgent"])
    #expect(seen[1].about(">") == (shares ? ["Shopping/Food/n2 > n3"] : []))
  }

  private func partyOfTwoLists() async throws -> Party {
    let party = try await party()
    try party.make("Work", ["W": ["w1"]], party.owner)
    try await party.share("Shopping")
    try await party.share("Work")
    return party
  }

  /// A participant takes the note out of a list and puts it into another one; the owner brings it
  /// back, where the pair is said.
  @Test func aPairHoldsAgainOnTheMachineThatBringsItsNoteBack() async throws {
    let party = try await partyOfTwoLists()
    try party.move("Note", "g1", to: "W", party.guest)
    try await party.ends()
    try party.relate("w1", "g1", party.owner)
    try await party.ends()
    try party.move("Note", "g1", to: "Food", party.guest)
    try await party.ends()
    try party.move("Note", "g1", to: "W", party.owner)
    let seen = try await party.ends()
    #expect(seen[0].about(">") == ["Work/W/w1 > g1"])
    #expect(seen[1].about(">") == ["Work/W/w1 > g1"])
  }

  /// While both notes are in one list, the pair that was said of two says nothing.
  @Test func aPairHoldsAgainOnAllMachinesWhenItsNoteComesHome() async throws {
    let party = try await partyOfTwoLists()
    try party.relate("n1", "g1", party.guest)
    try await party.ends()
    try party.move("Note", "g1", to: "W", party.machines[1][1])
    try await party.ends()
    try party.move("Note", "n1", to: "W", party.owner)
    try await party.ends()
    try party.move("Note", "g1", to: "G", party.machines[1][1])
    let seen = try await party.ends()
    #expect(seen[1].about(">") == ["Work/W/n1 > g1"])
    #expect(seen[0].about(">").isEmpty)
  }

  /// The participant takes home a note that the owner shares anew at that moment, and so has two of
  /// one name.
  @Test func aPairStaysWithTheNoteAtHomeWhenAnotherOneOfItsNameMoves() async throws {
    let party = try await partyOfTwoLists()
    try party.move("Note", "g1", to: "Food", party.guest)
    try await party.ends()
    try party.move("Note", "g1", to: "G", party.guest)
    try party.relate("g1", "w1", party.guest)
    try await party.owner.engine.stopSharing(party.id("List", "Shopping", party.owner))
    try await party.share("Shopping")
    #expect(try await party.ends()[1].about(">") == ["Guest's/G/g1 > w1"])
    let (work, food) = try (
      party.row("Section", "W", party.guest), party.row("Section", "Food", party.guest)
    )
    let other = try #require(
      try party.guest.rows("Note").first {
        $0.values[0] == .string("g1") && $0.values[2] == .int(food)
      })
    try party.guest.update("Note", other.id.row, ["section": .int(work)])
    let seen = try await party.ends()
    #expect(seen[1].about(">") == ["Guest's/G/g1 > w1"])
    #expect(seen[1].about("g1\"").count == 2)
  }

  /// One machine of the owner moves the note, the other one deletes it before it has heard of that.
  /// Which of the two zones is read first is drawn anew in each run.
  @Test(arguments: 0..<8) func aNoteThatIsMovedWhileItIsDeletedKeepsItsTags(_: Int) async throws {
    let party = try await partyOfTwoLists()
    try party.tag("n1", "urgent", party.owner)
    try await party.ends()
    try party.move("Note", "n1", to: "W", party.phone)
    try await party.phone.engine.sync()
    try party.owner.delete("Note", party.row("Note", "n1", party.owner))
    #expect(try await party.ends()[0].about("#") == ["Work/W/n1 # urgent"])
  }

  /// The phone sees that a guest's note has gone from the share before it sees that it is at home.
  @Test func aNoteThatComesHomeAfterItHasGoneKeepsItsPrivateTag() async throws {
    let party = try await party(sharing: "Shopping")
    let food = try party.row("Section", "Food", party.guest)
    try party.guest.insert("Note", ["name": "g2", "section": .int(food)])
    try await party.settle()
    try party.tag("g2", "urgent", party.owner)
    try await party.ends()
    let server = try #require(party.transports[0] as? MemoryTransport)
    let row = try party.row("Note", "g2", party.owner)
    let note = try #require(try party.owner.record("Note", row))
    let home = party.owner.engine.zone
    server.delete(note.name, in: CloudZone(key: note.zone))
    try await party.phone.engine.sync()
    #expect(try !party.phone.values("Note", "name").contains("g2"))
    let content: JSONObject = [
      "type": "Note", "t": .string(note.stamp), "f_name": "g2", "m": ["from", .string(note.zone)],
    ]
    try await server.create(note.name, content, in: home)
    try await party.phone.engine.sync()
    #expect(try Party.content(party.phone).about("#") == ["none/g2 # urgent"])
    #expect(try Party.content(try await party.fresh(0)).about("#") == ["none/g2 # urgent"])
  }

  @Test func aPairAcrossTheBorderWaitsUntilItIsSent() async throws {
    let party = try await party(sharing: "Shopping")
    try party.relate("s1", "n1", party.owner)
    try await party.owner.drain()
    // And the order of the list that it is in.
    #expect(party.owner.engine.status.waiting == 2)
    try await party.owner.engine.sync()
    #expect(party.owner.engine.status.waiting == 0)
  }
}
