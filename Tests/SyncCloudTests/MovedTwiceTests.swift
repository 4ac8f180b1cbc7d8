import Testing

@testable import SyncCloud

/// One object that two machines move before they hear of each other is one in the end: where the
/// later of the two has put it.
@Suite(.timeLimit(.minutes(5))) struct MovedTwiceTests {
  private func party() async throws -> Party {
    let party = try await Party.inMemory([2, 2])
    try party.make("Shopping", ["Food": ["n1", "n2", "n3"], "Tools": ["n4"]], party.owner)
    try party.make("Work", ["W": ["w1"]], party.owner)
    try party.make("Guest's", ["G": ["g1"], "H": ["h1"]], party.guest)
    for client in party.all { try await client.engine.sync() }
    try party.relate("n1", "n2", party.owner)
    try await party.share("Shopping")
    try await party.share("Work")
    return party
  }

  /// Which machine syncs first; the second one moves later.
  @Test(arguments: [0, 1])
  func aNoteThatTwoMachinesOfAParticipantTakeOutIsOne(_ first: Int) async throws {
    let party = try await party()
    let guests = party.machines[1]
    try party.tag("n1", "mine", guests[0])
    try party.move("Note", "n1", to: "G", guests[0])
    try party.move("Note", "n1", to: "H", guests[1])
    for number in [first, 1 - first] { try await guests[number].engine.sync() }
    let seen = try await party.ends()
    #expect(
      seen[1].about("n1").filter { !$0.contains(":") }
        == ["Guest's/H/n1 # mine", "Guest's/H/n1 > n2"])
    #expect(seen[1].about("/H:") == ["Guest's/H: \(["h1", "n1"])"])
    #expect(seen[0].about("n1").isEmpty)
  }

  @Test(arguments: [0, 1])
  func aSectionThatTwoMachinesOfAParticipantTakeOutIsOne(_ first: Int) async throws {
    let party = try await party()
    try party.make("Guest's other", [:], party.guest)
    try await party.ends()
    let guests = party.machines[1]
    try party.move("Section", "Food", to: "Guest's", guests[0])
    try party.move("Section", "Food", to: "Guest's other", guests[1])
    for number in [first, 1 - first] { try await guests[number].engine.sync() }
    let seen = try await party.ends()
    #expect(seen[1].about("Food:") == ["Guest's other/Food: \(["n1", "n2", "n3"])"])
    #expect(seen[1].about("n1 >") == ["Guest's other/Food/n1 > n2"])
    #expect(seen[0].about("Food").isEmpty)
  }

  /// The note that one machine takes out is moved to where it is alone, whatever the other does
  /// with its section.
  @Test(arguments: [0, 1])
  func aNoteAndItsSectionThatAreTakenOutAreOneEach(_ first: Int) async throws {
    let party = try await party()
    let guests = party.machines[1]
    try party.move("Note", "n1", to: "G", guests[0])
    try party.move("Section", "Food", to: "Guest's", guests[1])
    for number in [first, 1 - first] { try await guests[number].engine.sync() }
    let seen = try await party.ends()
    #expect(seen[1].about("/G:") == ["Guest's/G: \(["g1", "n1"])"])
    #expect(seen[1].about("/Food:") == ["Guest's/Food: \(["n2", "n3"])"])
    #expect(seen[0].about("n1").isEmpty)
  }

  /// Which machine syncs first, and whether the one that takes the note out moves it later.
  @Test(arguments: [0, 1], [true, false])
  func aNoteThatIsTakenOutAndMovedToAnotherShareIsOne(
    _ first: Int, _ takesLater: Bool
  ) async throws {
    let party = try await party()
    let guests = party.machines[1]
    if !takesLater { try party.move("Note", "n1", to: "G", guests[0]) }
    try party.move("Note", "n1", to: "W", guests[1])
    if takesLater { try party.move("Note", "n1", to: "G", guests[0]) }
    for number in [first, 1 - first] { try await guests[number].engine.sync() }
    let seen = try await party.ends()
    if takesLater {
      #expect(seen[1].about("n1\"") == ["Guest's/G: \(["g1", "n1"])"])
      #expect(seen[0].about("n1").isEmpty)
    } else {
      #expect(seen[1].about("n1\"") == ["Work/W: \(["w1", "n1"])"])
      #expect(seen[0].about("n1\"") == ["Work/W: \(["w1", "n1"])"])
    }
  }

  /// A note that the participant has made, and put into the share.
  @Test(arguments: [0, 1], [true, false])
  func aNoteOfAParticipantThatComesHomeAndGoesOnIsOne(
    _ first: Int, _ takesLater: Bool
  ) async throws {
    let party = try await party()
    let guests = party.machines[1]
    try party.move("Note", "g1", to: "Food", party.guest)
    try await party.ends()
    if !takesLater { try party.move("Note", "g1", to: "G", guests[0]) }
    try party.move("Note", "g1", to: "W", guests[1])
    if takesLater { try party.move("Note", "g1", to: "G", guests[0]) }
    for number in [first, 1 - first] { try await guests[number].engine.sync() }
    let seen = try await party.ends()
    #expect(
      seen[1].about("g1\"")
        == [takesLater ? "Guest's/G: \(["g1"])" : "Work/W: \(["w1", "g1"])"])
    #expect(seen[0].about("g1\"") == (takesLater ? [] : ["Work/W: \(["w1", "g1"])"]))
  }
}
