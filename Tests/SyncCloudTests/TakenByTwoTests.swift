import SyncStack
import Testing

@testable import SyncCloud

/// An object that two accounts move out of one list before they hear of each other is one: of the
/// account that the server heard first. To all others it is gone, as any that is taken out.
@Suite(.timeLimit(.minutes(5))) struct TakenByTwoTests {
  private func party(_ counts: [Int] = [2, 2]) async throws -> Party {
    let party = try await Party.inMemory(counts)
    try party.make("Shopping", ["Food": ["n1", "n2", "n3"], "Tools": ["n4"]], party.owner)
    try party.make("Work", ["W": ["w1"]], party.owner)
    try party.make("Mine", ["M": ["m1"]], party.owner)
    try party.make("Guest's", ["G": ["g1"]], party.guest)
    for client in party.all { try await client.engine.sync() }
    try party.relate("n1", "n2", party.owner)
    try await party.share("Shopping")
    try await party.share("Work")
    return party
  }

  /// The owner is 0.
  @Test(arguments: [0, 1])
  func theNoteThatOwnerAndParticipantTakeIsOne(_ first: Int) async throws {
    let party = try await party()
    let (owner, guest) = (party.owner, party.guest)
    try party.tag("n1", "owner's", owner)
    try party.tag("n1", "guest's", guest)
    try party.move("Note", "n1", to: "M", owner)
    try party.move("Note", "n1", to: "G", guest)
    for (client, stars) in [(owner, 1), (guest, 2)] as [(Client, Int64)] {
      try client.update("Note", party.row("Note", "n1", client), ["stars": .int(stars)])
    }
    for number in [first, 1 - first] { try await party.machines[number][0].engine.sync() }
    let seen = try await party.ends()
    #expect(
      seen[first].about("n1").filter { !$0.contains("[") }
        == (first == 0
          ? ["Mine/M/n1 # owner's", "Mine/M/n1 1", "Mine/M/n1 > n2"]
          : ["Guest's/G/n1 # guest's", "Guest's/G/n1 2", "Guest's/G/n1 > n2"]))
    #expect(seen[1 - first].about("n1").isEmpty)
    #expect(seen[first].about("\"n1\"").count == 1)
    #expect(seen[0].about("/Food:") == ["Shopping/Food: \(["n2", "n3"])"])
    #expect(seen[1].about("/Food:") == seen[0].about("/Food:"))
    let lost = try party.machines[1 - first][0].engine.conflicts.filter { $0.field == "stars" }
    #expect(lost.map(\.value) == [.integer(Int64(2 - first))])
    #expect(try party.machines[first][0].engine.conflicts.isEmpty)
  }

  @Test(arguments: [0, 1])
  func theNoteThatOneTakesAndTheOtherMovesOnIsOne(_ first: Int) async throws {
    let party = try await party()
    try party.move("Note", "n1", to: "M", party.phone)
    try party.move("Note", "n1", to: "W", party.guest)
    let both = [party.phone, party.guest]
    for number in [first, 1 - first] { try await both[number].engine.sync() }
    let seen = try await party.ends()
    let place = first == 0 ? "Mine/M: \(["m1", "n1"])" : "Work/W: \(["w1", "n1"])"
    #expect(seen[0].about("\"n1\"") == [place])
    #expect(seen[1].about("\"n1\"") == (first == 0 ? [] : [place]))
  }

  @Test(arguments: [0, 1])
  func theSectionThatTwoTakeIsOneWithAllBelow(_ first: Int) async throws {
    let party = try await party()
    try party.move("Section", "Food", to: "Mine", party.owner)
    try party.move("Section", "Food", to: "Guest's", party.guest)
    for number in [first, 1 - first] { try await party.machines[number][0].engine.sync() }
    let seen = try await party.ends()
    let list = first == 0 ? "Mine" : "Guest's"
    #expect(seen[first].about("Food:") == ["\(list)/Food: \(["n1", "n2", "n3"])"])
    #expect(seen[first].about("n1 >") == ["\(list)/Food/n1 > n2"])
    #expect(seen[1 - first].filter { $0.contains("Food") || $0.contains("n1") } == [])
  }

  /// The guest takes one of the notes alone.
  @Test(arguments: [0, 1])
  func theNoteGoesWithItsSectionOrAlone(_ first: Int) async throws {
    let party = try await party()
    try party.move("Section", "Food", to: "Mine", party.owner)
    try party.move("Note", "n1", to: "G", party.guest)
    for number in [first, 1 - first] { try await party.machines[number][0].engine.sync() }
    let seen = try await party.ends()
    #expect(
      seen[0].about("Food:")
        == ["Mine/Food: \(first == 0 ? ["n1", "n2", "n3"] : ["n2", "n3"])"])
    #expect(seen[1].about("/G:") == ["Guest's/G: \(first == 0 ? ["g1"] : ["g1", "n1"])"])
  }

  @Test func ofThreeTheFirstHasIt() async throws {
    let party = try await party([2, 2, 2])
    let third = party.machines[2][0]
    try party.make("Third's", ["T": ["t1"]], third)
    try party.move("Note", "n1", to: "M", party.owner)
    try party.move("Note", "n1", to: "W", party.guest)
    try party.move("Note", "n1", to: "T", third)
    try await sync(party.guest, third, party.owner)
    let seen = try await party.ends()
    for each in seen { #expect(each.about("\"n1\"") == ["Work/W: \(["w1", "n1"])"]) }
  }

  /// The owner gives up in another list the note that the participant has at home, under one name:
  /// the pair that the tablet has said before holds on all his machines.
  @Test func aDeletionWhereANoteIsNotPartsNoPairOfIt() async throws {
    let party = try await party()
    let (guest, tablet) = (party.guest, party.machines[1][1])
    try party.make("More", ["X": ["x1"]], guest)
    try party.move("Note", "g1", to: "Food", guest)
    try await party.ends()
    try party.relate("x1", "g1", tablet)
    try party.move("Note", "g1", to: "G", guest)
    try await guest.engine.sync()
    try party.move("Note", "g1", to: "W", party.owner)
    try await sync(party.owner, party.owner, tablet)
    let seen = try await party.ends()
    #expect(seen[1].about("> g1") == ["More/X/x1 > g1"])
    #expect(seen[0].about("g1").isEmpty)
  }

  /// A later move, by years, takes nothing from the first.
  @Test func whatWasTakenHomeStaysWhateverOthersSendLater() async throws {
    let party = try await party()
    try party.move("Note", "n1", to: "M", party.phone)
    try await sync(party.phone, party.owner)
    try party.move("Note", "n1", to: "G", party.guest)
    let seen = try await party.ends()
    #expect(seen[0].about("\"n1\"") == ["Mine/M: \(["m1", "n1"])"])
    #expect(seen[1].about("n1").isEmpty)
  }
}
