import Foundation
import SyncStack
import Testing

@testable import SyncCloud

/// Machines that move, edit and delete objects that another one shares, takes out or shares no
/// more, before they hear of it.
@Suite(.timeLimit(.minutes(5))) struct SharedMoveTests {
  private let scene: Scene
  private let phone: Client

  private var owner: Client { scene.owner }
  private var guest: Client { scene.guest }

  init() async throws { try await self.init(.memory) }

  private init(_ server: SharingServer) async throws {
    scene = try await Scene(server.accounts(), now: Scene.clock())
    phone = try scene.machine(0)
    try await phone.engine.sync()
  }

  /// Shares the list, and has everybody know.
  private func share() async throws {
    let share = try await scene.share(.readWrite)
    try await guest.engine.accept(share.invitation)
    try await phone.engine.sync()
  }

  private func row(_ entity: String, _ name: String, _ client: Client) throws -> Int64 {
    try #require(try client.rows(entity).first { $0.values[0] == .string(name) }).id.row
  }

  private func move(_ note: String, to section: String, _ client: Client) throws {
    try client.update(
      "Note", row("Note", note, client), ["section": .int(row("Section", section, client))])
  }

  /// Syncs all, and expects that machines of one account have the same, new ones too.
  ///
  /// - Returns: The content of the owner and of the guest.
  private func ends(_ others: [Client] = []) async throws -> (mine: [String], guests: [String]) {
    try await sync([owner, phone, guest] + others, rounds: 3)
    let (mine, guests) = (try Scene.paths(owner), try Scene.paths(guest))
    let fresh = (try scene.machine(0), try scene.machine(1))
    try await sync(fresh.0, fresh.1)
    #expect(try Scene.paths(phone) == mine)
    #expect(try Scene.paths(fresh.0) == mine)
    for client in others + [fresh.1] { #expect(try Scene.paths(client) == guests) }
    for client in [owner, phone, guest] + others {
      #expect(client.engine.status.waiting == 0)
      #expect(client.engine.status.problems.isEmpty)
      _ = try client.graph()
    }
    return (mine, guests)
  }

  private func places(_ title: String, in paths: [String]) -> [String] {
    paths.filter { $0.contains("/\(title)/") }
  }

  @Test(arguments: SharingServer.available)
  func whatWasMovedAwayBeforeItsListIsSharedStaysAway(_ server: SharingServer) async throws {
    let test = try await SharedMoveTests(server)
    try test.move("n5", to: "S", test.phone)
    try test.move("hidden", to: "Food", test.phone)
    try await test.share()
    let (mine, guests) = try await test.ends()
    #expect(places("n5", in: mine) == ["Secret/S/n5/-"])
    #expect(places("n5", in: guests).isEmpty)
    #expect(places("hidden", in: mine) == ["Shopping/Food/hidden/-"])
    #expect(places("hidden", in: guests) == ["Shopping/Food/hidden/-"])
  }

  @Test func aDeletionThatWasNotSentGoesIntoTheShare() async throws {
    try phone.delete("Note", row("Note", "n5", phone))
    try await share()
    let (mine, guests) = try await ends()
    #expect(places("n5", in: mine + guests).isEmpty)
  }

  @Test func whatIsPutBelowWhatGoesOutGoesAlong() async throws {
    try await share()
    let food = try row("Section", "Food", phone)
    try phone.insert("Note", ["title": "bread", "section": .int(food)])
    try owner.update("Section", scene.sections[0], ["list": .int(row("List", "Secret", owner))])
    try await owner.engine.sync()
    let (mine, guests) = try await ends()
    #expect(places("bread", in: mine) == ["Secret/Food/bread/-"])
    #expect(places("n5", in: mine) == ["Secret/Food/n5/-"])
    #expect(places("bread", in: guests).isEmpty && places("n5", in: guests).isEmpty)
  }

  /// The move of the phone is older, and its edit goes along.
  @Test func theLaterOfTwoMovesCounts() async throws {
    try await share()
    try move("n5", to: "S", phone)
    try phone.update("Note", row("Note", "n5", phone), ["stars": 5])
    try move("n5", to: "Tools", owner)
    try await owner.engine.sync()
    let (mine, guests) = try await ends()
    #expect(places("n5", in: mine) == ["Shopping/Tools/n5/5"])
    #expect(places("n5", in: guests) == ["Shopping/Tools/n5/5"])
  }

  @Test(arguments: SharingServer.available)
  func whatIsTakenOutIsGoneForOthersWhateverTheyEdit(_ server: SharingServer) async throws {
    let test = try await SharedMoveTests(server)
    try await test.share()
    try test.move("n5", to: "S", test.owner)
    try await test.owner.engine.sync()
    try test.guest.update("Note", test.row("Note", "n5", test.guest), ["stars": 5])
    let (mine, guests) = try await test.ends()
    #expect(places("n5", in: mine) == ["Secret/S/n5/-"])
    #expect(places("n5", in: guests).isEmpty)
    #expect(try test.guest.engine.conflicts.map(\.value) == [5])
    // And comes back as it is.
    try test.move("n5", to: "Tools", test.phone)
    let (again, seen) = try await test.ends()
    #expect(places("n5", in: again) == ["Shopping/Tools/n5/-"])
    #expect(places("n5", in: seen) == ["Shopping/Tools/n5/-"])
  }

  @Test func anEditThatWasSentGoesAlongWithWhatIsTakenOut() async throws {
    try await share()
    try guest.update("Note", row("Note", "n5", guest), ["stars": 5])
    try await guest.engine.sync()
    try move("n5", to: "S", owner)
    try phone.update("Note", row("Note", "n5", phone), ["title": "phone's"])
    let (mine, guests) = try await ends()
    #expect(places("phone's", in: mine) == ["Secret/S/phone's/5"])
    #expect(places("n5", in: guests).isEmpty && places("phone's", in: guests).isEmpty)
  }

  @Test func aParticipantTakesOutAndBringsBack() async throws {
    try await share()
    let other = try scene.machine(1)
    try await other.engine.sync()
    let list = try guest.insert("List", ["name": "Guest's"])
    try guest.insert("Section", ["name": "G", "list": .int(list)])
    try await sync(guest, other)
    try move("n5", to: "G", guest)
    var (mine, guests) = try await ends([other])
    #expect(places("n5", in: mine).isEmpty)
    #expect(places("n5", in: guests) == ["Guest's/G/n5/-"])
    try move("n5", to: "Food", other)
    (mine, guests) = try await ends([other])
    #expect(places("n5", in: mine) == ["Shopping/Food/n5/-"])
    // Once more, while the owner takes it: his move is the first that the server hears of.
    try move("n5", to: "G", guest)
    try move("n5", to: "S", owner)
    (mine, guests) = try await ends([other])
    #expect(places("n5", in: mine) == ["Secret/S/n5/-"])
    #expect(places("n5", in: guests).isEmpty)
    try move("n5", to: "Tools", phone)
    (mine, guests) = try await ends([other])
    #expect(places("n5", in: mine) == ["Shopping/Tools/n5/-"])
    #expect(places("n5", in: guests) == places("n5", in: mine))
  }

  /// Shares a second list of the owner's, and gives him a section of his own.
  private func shareAnother() async throws {
    let mine = try owner.insert("List", ["name": "Mine"])
    try owner.insert("Section", ["name": "M", "list": .int(mine)])
    try await share()
    let other = try await owner.engine.share(
      scene.id("List", row("List", "Secret", owner)), with: [.init(scene.guestName, .readWrite)])
    try await guest.engine.accept(other.invitation)
    try await phone.engine.sync()
  }

  @Test func whatAParticipantMovesBetweenSharesBeforeTheOwnerTakesItHomeIsThere() async throws {
    try await shareAnother()
    try move("n5", to: "S", owner)
    _ = try await ends()
    try move("n5", to: "M", phone)
    try move("n5", to: "Food", guest)
    try await guest.engine.sync()
    let (mine, guests) = try await ends()
    #expect(places("n5", in: mine) == ["Shopping/Food/n5/-"])
    #expect(places("n5", in: guests) == ["Shopping/Food/n5/-"])
  }

  @Test func whatAParticipantHasMadeIsWhereTheOwnerHasMovedItLast() async throws {
    try await shareAnother()
    let food = try row("Section", "Food", guest)
    try guest.insert("Note", ["title": "made", "section": .int(food)])
    _ = try await ends()
    try move("made", to: "S", owner)
    try move("made", to: "M", phone)
    let (mine, guests) = try await ends()
    #expect(places("made", in: mine) == ["Mine/M/made/-"])
    #expect(places("made", in: guests).isEmpty)
  }

  @Test func oneMachineSharesWhatAnotherOneOfTheAccountHasEnded() async throws {
    try await share()
    try await phone.engine.stopSharing(scene.id("List", row("List", "Shopping", phone)))
    let again = try await scene.share(.readWrite)
    try await guest.engine.accept(again.invitation)
    try await phone.engine.stopSharing(scene.id("List", row("List", "Shopping", phone)))
    #expect(try await !places("n5", in: ends().mine).isEmpty)
    #expect(try guest.rows("Note").isEmpty)
  }

  @Test func whatIsPutBelowASectionThatCameBackComesHomeWithIt() async throws {
    try await share()
    let mine = try owner.insert("List", ["name": "Mine"])
    let own = try guest.insert("List", ["name": "Guest's"])
    let shopping = try row("List", "Shopping", guest)
    let section = try guest.insert("Section", ["name": "G", "list": .int(own)])
    try await guest.engine.sync()
    try guest.update("Section", section, ["list": .int(shopping)])
    _ = try await ends()
    // Both take it home at once, the guest first, who brings it back.
    try owner.update("Section", row("Section", "G", owner), ["list": .int(mine)])
    try guest.update("Section", section, ["list": .int(own)])
    try await guest.engine.sync()
    _ = try await ends()
    #expect(try !owner.values("Section", "name").contains("G"))
    try guest.update("Section", row("Section", "G", guest), ["list": .int(shopping)])
    try guest.insert("Note", ["title": "late", "section": .int(row("Section", "G", guest))])
    try await guest.engine.sync()
    try await owner.engine.stopSharing(scene.id("List", scene.list))
    #expect(try await places("late", in: ends().mine) == ["Shopping/G/late/-"])
  }

  @Test func deletionsComeHomeWhenSharingEnds() async throws {
    try await share()
    try owner.delete("Note", scene.notes[4])
    try guest.delete("Note", row("Note", "n6", guest))
    try await guest.engine.sync()
    try await owner.engine.stopSharing(scene.id("List", scene.list))
    let (mine, guests) = try await ends()
    #expect(places("n5", in: mine).isEmpty && places("n6", in: mine).isEmpty)
    #expect(places("n7", in: mine) == ["Shopping/Food/n7/-"])
    #expect(guests.isEmpty)
  }

  /// A participant sends an edit right before each of the calls in which sharing ends.
  @Test(arguments: 0..<12)
  func whatIsSentWhileSharingEndsComesHomeOrIsAmongTheConflicts(_ moment: Int) async throws {
    try await share()
    let line = FaultyTransport(scene.transports[0])
    let tablet = try Client(line, model: scene.model)
    try await tablet.engine.sync()
    try guest.update("Note", row("Note", "n5", guest), ["stars": 77])
    let calls = Locked(0)
    line.beforeEachCall { [guest] _ in
      let number = calls.withLock { calls in
        defer { calls += 1 }
        return calls
      }
      if number == moment { _ = try? await guest.engine.push() }
    }
    let list = try row("List", "Shopping", tablet)
    try await tablet.engine.stopSharing(scene.id("List", list))
    let (mine, _) = try await ends()
    let isKept = try guest.engine.conflicts.contains { $0.field == "stars" && $0.value == 77 }
    #expect(places("n5", in: mine) == [isKept ? "Shopping/Food/n5/-" : "Shopping/Food/n5/77"])
  }

  /// The phone has edits of the first share, and hears of both at once.
  @Test func whoWasAwayFindsWhatWasSharedAnew() async throws {
    try await share()
    try phone.update("Note", row("Note", "n5", phone), ["stars": 5])
    try phone.insert("Note", ["title": "new", "section": .int(row("Section", "Food", phone))])
    try move("n6", to: "S", phone)
    try await owner.engine.stopSharing(scene.id("List", scene.list))
    let again = try await scene.share(.readWrite)
    try await guest.engine.sync()
    try await guest.engine.accept(again.invitation)
    let (mine, guests) = try await ends()
    #expect(places("n5", in: mine) == ["Shopping/Food/n5/5"])
    #expect(places("new", in: mine) == ["Shopping/Food/new/-"])
    #expect(places("n6", in: mine) == ["Secret/S/n6/-"])
    #expect(guests == mine.filter { $0.hasPrefix("Shopping") })
  }

  /// The note says its section before the section has come, and the section comes from another
  /// zone.
  @Test func aNoteFindsASectionThatComesHomeLater() async throws {
    try await share()
    try owner.update("Section", scene.sections[0], ["list": .int(row("List", "Secret", owner))])
    try move("hidden", to: "Food", owner)
    try await owner.engine.stopSharing(scene.id("List", scene.list))
    let (mine, _) = try await ends()
    #expect(places("hidden", in: mine) == ["Secret/Food/hidden/-"])
    #expect(places("n5", in: mine) == ["Secret/Food/n5/-"])
  }
}
