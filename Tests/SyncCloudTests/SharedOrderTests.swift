import SyncStack
import Testing

@testable import SyncCloud

/// Objects keep their places in lists wherever they go.
@Suite(.timeLimit(.minutes(5))) struct SharedOrderTests {
  private static let eight = ["h", "c", "a", "g", "b", "e", "d", "f"]

  private func party() async throws -> Party {
    let party = try await Party.inMemory([2, 2])
    try party.make("Shopping", ["Food": Self.eight.sorted(), "Tools": ["t"]], party.owner)
    try party.make("Other", ["S": ["s1"], "T": []], party.owner)
    try party.make("Guest's", ["G": ["g1"]], party.guest)
    try party.arrange("Section", "Food", "notes", Self.eight, party.owner)
    for client in party.all { try await client.engine.sync() }
    return party
  }

  /// Moves a section by a machine of an account.
  @Test(arguments: [0, 1]) func aSectionKeepsItsOrderBetweenTwoShares(_ account: Int) async throws {
    let party = try await party()
    try await party.share("Shopping")
    try await party.share("Other")
    let mover = party.machines[account][0]
    try party.move("Section", "Food", to: "Other", mover)
    try party.arrange("List", "Other", "sections", ["S", "Food", "T"], mover)
    for seen in try await party.ends() {
      #expect(seen.about("/Food:") == ["Other/Food: \(Self.eight)"])
      #expect(seen.about("Other:") == ["Other: \(["S", "Food", "T"])"])
      #expect(seen.about("Shopping:") == ["Shopping: \(["Tools"])"])
    }
  }

  @Test(arguments: [0, 1]) func aSectionThatIsTakenOutKeepsItsOrder(_ account: Int) async throws {
    let party = try await party()
    try await party.share("Shopping")
    let (mover, home) = (party.machines[account][0], account == 0 ? "Other" : "Guest's")
    try party.move("Section", "Food", to: home, mover)
    let seen = try await party.ends()
    #expect(seen[account].about("/Food:") == ["\(home)/Food: \(Self.eight)"])
    #expect(seen[1 - account].about("/Food:").isEmpty)
    try party.move("Section", "Food", to: "Shopping", party.machines[account][1])
    for seen in try await party.ends() {
      #expect(seen.about("/Food:") == ["Shopping/Food: \(Self.eight)"])
    }
  }

  /// Notes that the phone has put into the list, and not sent, when another machine shares it or
  /// shares it no more.
  @Test(arguments: [0, 3, 8], [true, false])
  func whatWasNotSentKeepsItsPlace(_ place: Int, _ shares: Bool) async throws {
    let party = try await party()
    if !shares { try await party.share("Shopping") }
    try party.phone.insert(
      "Note", ["name": "late", "section": .int(party.row("Section", "Food", party.phone))])
    var order = Self.eight
    order.insert("late", at: place)
    try party.arrange("Section", "Food", "notes", order, party.phone)
    if shares {
      try await party.share("Shopping")
    } else {
      try await party.owner.engine.stopSharing(party.id("List", "Shopping", party.owner))
    }
    let seen = try await party.ends()
    #expect(seen[0].about("/Food:") == ["Shopping/Food: \(order)"])
    #expect(seen[1].about("/Food:") == (shares ? ["Shopping/Food: \(order)"] : []))
  }

  /// The order of a many-to-many list that leads out of a share.
  @Test func privateMembersOfASharedListKeepTheirPlaces() async throws {
    let party = try await party()
    try await party.share("Shopping")
    for name in ["a", "s1", "b"] { try party.relate("t", name, party.owner) }
    try party.arrange("Note", "t", "related", ["b", "s1", "a"], party.owner)
    let seen = try await party.ends()
    #expect(seen[0].about("related") == ["Shopping/Tools/t related \(["b", "s1", "a"])"])
    #expect(seen[1].about("related") == ["Shopping/Tools/t related \(["b", "a"])"])
  }

  @Test func aMemberThatAParticipantTakesOutKeepsItsPlace() async throws {
    let party = try await party()
    try await party.share("Shopping")
    for name in ["a", "b", "c"] { try party.relate("t", name, party.guest) }
    try party.arrange("Note", "t", "related", ["b", "c", "a"], party.guest)
    try await party.ends()
    try party.move("Note", "c", to: "G", party.guest)
    let seen = try await party.ends()
    #expect(seen[1].about("related") == ["Shopping/Tools/t related \(["b", "c", "a"])"])
    #expect(seen[0].about("related") == ["Shopping/Tools/t related \(["b", "a"])"])
  }
}
