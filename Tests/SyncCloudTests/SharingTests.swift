import Foundation
import SyncStack
import Testing

@testable import SyncCloud

@Suite(.timeLimit(.minutes(5))) struct SharingTests {
  @Test(arguments: SharingServer.available)
  func aListIsSharedWholeReadThenWrittenThenRevoked(_ server: SharingServer) async throws {
    let scene = try await Scene(server)
    let (owner, guest) = (scene.owner, scene.guest)
    let before = try Scene.texts(owner)
    let share = try await scene.share(.readOnly)
    let root = try await guest.engine.accept(share.invitation)

    // Pulled at once, whole, and nothing else.
    #expect(root.entity.name == "List")
    let everything = before.filter { !["hidden -", "S", "Secret"].contains($0) }
    #expect(try Scene.texts(guest) == everything)
    #expect(try guest.rows("Shelf").isEmpty)
    #expect(try Scene.texts(owner) == before)
    #expect(try guest.values("List", "shelf") == [.null])
    #expect(try guest.engine.isShared(root))
    #expect(try guest.engine.owner(of: root) == (try await scene.transports[0].account()))
    #expect(try owner.engine.isShared(try scene.id("Note", scene.notes[0])))
    #expect(try owner.engine.owner(of: try scene.id("Note", scene.notes[0])) == nil)
    let all = [CloudParticipant(scene.guestName, .readOnly)]
    #expect(try await owner.engine.participants(of: try scene.id("List", scene.list)) == all)
    #expect(try await guest.engine.participants(of: root) == all)
    let names = try await scene.seen(share)
    // 21 objects and two pairs.
    #expect(names?.count == 23)
    let first = try #require(try scene.row(guest, titled: "n1"))
    let related = try guest.stack.store.read { reader in
      let note = try reader.model.requireEntity(named: "Note")
      return try reader.members(
        of: #require(note.property(named: "related")?.relationship), in: note, owners: [first]
      ).count
    }
    #expect(related == 2)

    // A participant that may only read does not save.
    let context = guest.stack.newBackgroundContext()
    try await context.perform {
      let note = try #require(
        try context.fetch(Fetch<ManagedObject>(entityNamed: "Note", "title == %@", "n1")).first)
      note.setValue("mine", forKey: "title")
      let added = try context.insert(entityNamed: "Note")
      added.setValue(note.value(forKey: "section"), forKey: "section")
      #expect {
        try context.save()
      } throws: { error in
        let error = error as? GraphError
        return error?.code == .readOnly && error?.objects.contains(note.objectID) == true
          && error?.objects.count == 2
      }
      context.rollback()
      context.delete(note)
      #expect { try context.save() } throws: { ($0 as? GraphError)?.code == .readOnly }
      context.rollback()
      // One's own objects are saved, and the list's own parent is one's own.
      let shelf = try context.insert(entityNamed: "Shelf")
      let list = try #require(try context.fetch(Fetch<ManagedObject>(entityNamed: "List")).first)
      list.setValue(shelf, forKey: "shelf")
      try context.save()
    }
    try await guest.engine.sync()
    #expect(guest.engine.status.waiting == 0)

    // Then writes, on both sides.
    try await owner.engine.share(
      try scene.id("List", scene.list), with: [CloudParticipant(scene.guestName, .readWrite)])
    try await guest.engine.sync()
    try await context.perform {
      let note = try #require(
        try context.fetch(Fetch<ManagedObject>(entityNamed: "Note", "title == %@", "n1")).first)
      note.setValue(Int64(7), forKey: "stars")
      let added = try context.insert(entityNamed: "Note")
      added.setValue("guest's", forKey: "title")
      added.setValue(note.value(forKey: "section"), forKey: "section")
      try context.save()
    }
    let section = try owner.insert("Section", ["name": "Owner's", "list": .int(scene.list)])
    try owner.insert("Note", ["title": "owner's", "section": .int(section)])
    try await sync(owner, guest, owner)
    let expected =
      (everything.filter { $0 != "n1 -" } + ["n1 7", "guest's -", "owner's -", "Owner's"]).sorted()
    #expect(try Scene.texts(guest) == expected)
    #expect(try Scene.texts(owner) == (expected + ["hidden -", "S", "Secret"]).sorted())
    #expect(try await scene.seen(share)?.count == 26)
    // Another machine of each has the same.
    let (second, guestsSecond) = (try scene.machine(0), try scene.machine(1))
    try await sync(second, guestsSecond)
    #expect(try Scene.texts(second) == (try Scene.texts(owner)))
    #expect(try Scene.texts(guestsSecond) == expected)
    #expect(try second.graph().keys.sorted() == (try owner.graph().keys.sorted()))

    // An edit that is not sent when the right is taken is a conflict, and nothing of it is a
    // deletion.
    let unsent = try #require(try scene.row(guest, titled: "n5"))
    try guest.update("Note", unsent, ["title": "unsent"])
    try await owner.engine.share(try scene.id("List", scene.list), with: [])
    let ended = try await guest.engine.sync().pull.ended
    #expect(ended.map(\.name) == [share.zone.name])
    #expect(try Scene.texts(guest).isEmpty)
    #expect(try guest.rows("Shelf").count == 1)
    #expect(try guest.engine.conflicts.map(\.value) == ["unsent"])
    #expect(guest.engine.status.waiting == 0)
    try await guestsSecond.engine.sync()
    #expect(try Scene.texts(guestsSecond).isEmpty)
    // Raw requests see nothing, the guest's own records included.
    #expect(try await scene.seen(share) == nil)
    let zone = CloudZone(share.zone.name, owner: try await scene.transports[0].account())
    for name in names ?? [] {
      let record = try? await scene.transports[1].record(name, in: zone)
      #expect(record == nil)
    }
    try await sync(owner, second)
    #expect(try Scene.texts(owner) == (expected + ["hidden -", "S", "Secret"]).sorted())
    #expect(try Scene.texts(second) == (try Scene.texts(owner)))
    #expect(try await guest.engine.sync().pull.ended.isEmpty)
  }

  @Test(arguments: SharingServer.available)
  func whatTheOwnerDeletesGoesAndWhoLeavesTakesNothingAlong(_ server: SharingServer) async throws {
    let scene = try await Scene(server)
    let (owner, guest) = (scene.owner, scene.guest)
    let share = try await scene.share(.readWrite)
    var root = try await guest.engine.accept(share.invitation)
    let machine = try scene.machine(1)
    try await machine.engine.sync()
    let all = try Scene.texts(owner)
    #expect(try Scene.texts(machine) == (try Scene.texts(guest)))

    // The guest leaves: the copies go, on all machines of the account, and the owner keeps
    // everything.
    try await guest.engine.leave(root)
    #expect(try Scene.texts(guest).isEmpty)
    try await machine.engine.sync()
    #expect(try Scene.texts(machine).isEmpty)
    try await sync(guest, owner)
    #expect(try Scene.texts(owner) == all)

    // And comes back when invited again.
    try await owner.engine.share(
      try scene.id("List", scene.list), with: [CloudParticipant(scene.guestName, .readWrite)])
    root = try await guest.engine.accept(share.invitation)
    #expect(try Scene.texts(guest).count == all.count - 3)
    // A note that the owner deletes, and one that the guest deletes.
    try owner.delete("Note", scene.notes[3])
    try guest.delete("Note", try #require(try scene.row(guest, titled: "n5")))
    try await sync(owner, guest, owner)
    for client in [owner, guest] {
      let texts = try Scene.texts(client)
      #expect(!texts.contains("n4 -") && !texts.contains("n5 -") && texts.contains("n6 -"))
    }
    // The owner deletes the root: everything of it goes with its deletion, and nothing else.
    try guest.insert("Note", ["title": "private"])
    try owner.delete("List", scene.list)
    try await owner.engine.sync()
    let report = try await guest.engine.sync().pull
    #expect(report.deleted == all.count - 3 - 2)
    #expect(report.ended.isEmpty)
    #expect(try Scene.texts(guest) == ["private -"])
    #expect(try Scene.texts(owner) == ["S", "Secret", "hidden -"])
    #expect(try guest.engine.conflicts.isEmpty)
  }

  @Test(arguments: SharingServer.available)
  func whatIsSharedNoMoreComesHomeWithWhatOthersAdded(_ server: SharingServer) async throws {
    let scene = try await Scene(server)
    let (owner, guest) = (scene.owner, scene.guest)
    let machine = try scene.machine(0)
    try await machine.engine.sync()
    let rows = try machine.rows("Note").map(\.id.row)
    let share = try await scene.share(.readWrite)
    // The other machine keeps its objects, and an edit of this moment travels with its object.
    let edited = try #require(try scene.row(machine, titled: "n2"))
    try machine.update("Note", edited, ["stars": 3])
    try await machine.engine.sync()
    #expect(try machine.rows("Note").map(\.id.row) == rows)
    #expect(try machine.engine.isShared(try scene.id("Note", edited)))
    let shelves = try machine.values("List", "shelf")
    #expect(shelves.count == 2 && !shelves.contains(.null))
    try await guest.engine.accept(share.invitation)
    #expect(try Scene.texts(guest).contains("n2 3"))
    let section = try #require(try guest.rows("Section").first).id.row
    try guest.insert("Note", ["title": "guest's", "section": .int(section)])
    try await sync(guest, machine)

    try await owner.engine.stopSharing(try scene.id("List", scene.list))
    #expect(try !owner.engine.isShared(try scene.id("List", scene.list)))
    #expect(try await scene.seen(share) == nil)
    #expect(try await guest.engine.sync().pull.ended.count == 1)
    #expect(try Scene.texts(guest).isEmpty)
    let count = try machine.rows("Note").count
    try await machine.engine.sync()
    #expect(try machine.rows("Note").count == count)
    #expect(try Scene.texts(machine) == (try Scene.texts(owner)))
    #expect(try Scene.texts(owner).contains("guest's -"))
    #expect(try Scene.texts(owner).contains("n2 3"))
    try await owner.engine.sync()
    try await settle([owner, machine], fresh: scene.transports[0])
    // Once more, and everything is as it was the first time.
    let again = try await scene.share(.readWrite)
    #expect(again.zone != share.zone)
    try await guest.engine.accept(again.invitation)
    #expect(try Scene.texts(guest).count == (try Scene.texts(owner)).count - 3)
    try await machine.engine.sync()
    #expect(try Scene.texts(machine) == (try Scene.texts(owner)))
  }

  @Test(arguments: SharingServer.available)
  func objectsGoWithTheirParents(_ server: SharingServer) async throws {
    let scene = try await Scene(server)
    let (owner, guest) = (scene.owner, scene.guest)
    let machine = try scene.machine(0)
    try await machine.engine.sync()
    let share = try await scene.share(.readWrite)
    try await guest.engine.accept(share.invitation)
    // A section of one's own, with a note, goes below the list of the other; and a note leaves it.
    let shared = try #require(try guest.rows("List").first).id.row
    let mine = try guest.insert("Section", ["name": "guest's section"])
    try guest.insert("Note", ["title": "in it", "section": .int(mine)])
    try await guest.engine.sync()
    try guest.update("Section", mine, ["list": .int(shared)])
    let secret = try #require(try owner.rows("Section").first { $0.values[0] == "S" }).id.row
    try owner.update("Note", scene.notes[4], ["section": .int(secret)])
    try await sync(guest, owner, guest, machine)
    for client in [owner, guest, machine] {
      let texts = try Scene.texts(client)
      #expect(texts.contains("guest's section") && texts.contains("in it -"))
    }
    #expect(try !Scene.texts(guest).contains("n5 -"))
    #expect(try Scene.texts(owner).filter { $0 == "n5 -" }.count == 1)
    #expect(try Scene.texts(machine) == (try Scene.texts(owner)))
    #expect(try guest.engine.conflicts.isEmpty && owner.engine.conflicts.isEmpty)
    // And back.
    try owner.update("Note", scene.notes[4], ["section": .int(scene.sections[0])])
    try await sync(owner, guest, machine)
    #expect(try Scene.texts(guest).contains("n5 -"))
    #expect(try Scene.texts(machine) == (try Scene.texts(owner)))
    let guests = try scene.machine(1)
    try await guests.engine.sync()
    #expect(try Scene.texts(guests) == (try Scene.texts(guest)))
  }

  /// On Kinto the records go to another place, with the records of the participant that stays.
  @Test(arguments: SharingServer.available)
  func aParticipantThatStaysGoesOnWhenAnotherIsLeftOut(_ server: SharingServer) async throws {
    let scene = try await Scene(server)
    let (owner, guest, third) = (scene.owner, scene.guest, try scene.machine(2))
    let list = try scene.id("List", scene.list)
    let stays = CloudParticipant(try await scene.transports[2].account(), .readWrite)
    let share = try await owner.engine.share(
      list, with: [CloudParticipant(scene.guestName, .readWrite), stays])
    try await guest.engine.accept(share.invitation)
    try await third.engine.accept(share.invitation)
    for (client, title) in [(guest, "guest's"), (third, "third's")] {
      let section = try #require(try client.rows("Section").first).id.row
      try client.insert("Note", ["title": .string(title), "section": .int(section)])
      try await client.engine.sync()
    }
    let edited = try #require(try scene.row(third, titled: "n3"))
    try third.update("Note", edited, ["stars": 3])
    try await owner.engine.share(list, with: [stays])
    #expect(try await third.engine.sync().pull.ended.isEmpty)
    #expect(try await guest.engine.sync().pull.ended.count == 1)
    try owner.update("Note", scene.notes[1], ["stars": 2])
    try await sync(owner, third, owner)
    let mine = try Scene.texts(owner).filter { !["hidden -", "S", "Secret"].contains($0) }
    #expect(try Scene.texts(third) == mine)
    for text in ["guest's -", "third's -", "n3 3", "n2 2"] { #expect(mine.contains(text)) }
    #expect(try third.engine.conflicts.isEmpty)
    #expect(try owner.rows("Note").count == scene.notes.count + 3)
  }

  @Test(arguments: SharingServer.available, [true, false])
  func whatAnotherMachineHasPutBelowGoesAlong(_ server: SharingServer, _ isSent: Bool) async throws
  {
    let scene = try await Scene(server)
    let (owner, guest, phone) = (scene.owner, scene.guest, try scene.machine(0))
    try await phone.engine.sync()
    let list = try #require(
      try phone.rows("List").first { $0.values[0] == .string("Shopping") }
    ).id.row
    let section = try phone.insert("Section", ["name": "Phone's", "list": .int(list)])
    try phone.insert("Note", ["title": "of the phone", "section": .int(section)])
    let food = try #require(
      try phone.rows("Section").first { $0.values[0] == .string("Food") }
    ).id.row
    try phone.insert("Note", ["title": "bread", "section": .int(food)])
    if isSent { try await phone.engine.sync() }
    let share = try await scene.share(.readWrite)
    try await guest.engine.accept(share.invitation)
    try await sync(phone, owner, guest, phone)
    let mine = try Scene.paths(owner)
    #expect(mine.contains("Shopping/Phone's/of the phone/-"))
    #expect(mine.contains("Shopping/Food/bread/-"))
    #expect(try Scene.paths(phone) == mine)
    #expect(try Scene.paths(guest) == mine.filter { $0.hasPrefix("Shopping") })
    let fresh = try scene.machine(0)
    try await fresh.engine.sync()
    #expect(try Scene.paths(fresh) == mine)
    for client in [owner, phone, guest] { #expect(client.engine.status.waiting == 0) }
  }

  @Test func aStrangerWithTheInvitationIsNotLetIn() async throws {
    let scene = try await Scene(.memory)
    let share = try await scene.share(.readWrite)
    let stranger = try scene.machine(2)
    for text in [share.invitation, "syncstack-share:e30=", "", "hello"] {
      await expectError(.notFound) { try await stranger.engine.accept(text) }
    }
    await expectError(.notFound) { try await scene.owner.engine.accept(share.invitation) }
    #expect(try Scene.texts(stranger).isEmpty)
  }

  @Test func whatIsBelowAShareIsNotSharedByItselfAndWhatIsOthersIsNot() async throws {
    let (scene, _, root) = try await Scene.shared()
    await expectError(.unsupported) {
      try await scene.owner.engine.share(try scene.id("Note", scene.notes[0]), with: [])
    }
    await expectError(.notOwner) { try await scene.guest.engine.share(root, with: []) }
    await expectError(.notOwner) { try await scene.guest.engine.stopSharing(root) }
    await expectError(.notFound) {
      try await scene.owner.engine.leave(try scene.id("List", scene.list))
    }
  }

  @Test func aPullThatFindsNothingAsksOnceForEachZone() async throws {
    let scene = try await Scene.shared().scene
    let server = try #require(scene.transports[0] as? MemoryTransport)
    for client in [scene.owner, scene.guest] {
      try await sync(client, client)
      let before = server.requestCount
      try await client.engine.sync()
      #expect(server.requestCount - before == 2)
    }
  }

  @Test func reportsNameTheZonesAndProgressCountsWhatIsShared() async throws {
    let (scene, share, _) = try await Scene.shared()
    let (mine, theirs) = (
      share.zone, CloudZone(share.zone.name, owner: try await scene.transports[0].account())
    )
    let section = try #require(try scene.guest.rows("Section").first?.id.row)
    for number in 1...5 {
      try scene.guest.insert("Note", ["title": .string("g\(number)"), "section": .int(section)])
    }
    let pushing = Progress(totalUnitCount: 0)
    let pushed = try await scene.guest.engine.push(progress: pushing)
    #expect(pushed.zones == [theirs])
    #expect(pushing.completedUnitCount == 5 && pushing.isFinished)
    try await scene.owner.engine.pull()
    for number in 6...9 {
      try scene.guest.insert("Note", ["title": .string("g\(number)"), "section": .int(section)])
    }
    try await scene.guest.engine.push()
    let pulling = Progress(totalUnitCount: 0)
    let pulled = try await scene.owner.engine.pull(progress: pulling)
    #expect(pulled.zones == [mine])
    #expect(pulling.completedUnitCount == 4 && pulling.isFinished)
    try scene.owner.insert("Shelf", ["name": "Office"])
    #expect(try await scene.owner.engine.push().zones == [scene.owner.engine.zone])
    #expect(try await scene.owner.engine.push().zones.isEmpty)
  }

  @Test func anEngineThatWasStartedHearsOfWhatIsShared() async throws {
    let scene = try await Scene.shared().scene
    let updates = scene.guest.engine.statusUpdates
    scene.guest.engine.start()
    scene.owner.engine.start()
    try scene.owner.update("Note", scene.notes[0], ["title": "heard"])
    for await _ in updates where try scene.row(scene.guest, titled: "heard") != nil { break }
    await scene.guest.engine.stop()
    await scene.owner.engine.stop()
  }

  @Test func whoSignsOutKeepsWhatIsHisAndLosesWhatIsOthers() async throws {
    let scene = try await Scene.shared().scene
    try scene.guest.insert("Note", ["title": "mine"])
    try await scene.guest.engine.sync()
    let all = try Scene.texts(scene.owner)
    try await scene.guest.engine.signOut(wipe: false)
    try await scene.owner.engine.signOut(wipe: false)
    #expect(try Scene.texts(scene.guest) == ["mine -"])
    #expect(try Scene.texts(scene.owner) == all)
    // On the server nothing goes: the guest has it back with the next sync, and objects that stayed
    // are sent as new.
    try await scene.guest.engine.sync()
    let expected = all.filter { !["hidden -", "S", "Secret"].contains($0) } + ["mine -", "mine -"]
    #expect(try Scene.texts(scene.guest) == expected.sorted())
  }

  /// The first batch says that records go, and no other follows.
  @Test func aMoveThatIsCutOffGoesOnWhereverItWas() async throws {
    let server = MemoryTransport(account: "ann", limits: CloudLimits(batch: 7, page: 5))
    let scene = try await Scene([server, server.signedIn(as: "bob")])
    let machine = try scene.machine(0)
    try await machine.engine.sync()
    let all = try Scene.texts(scene.owner)
    // Where sharing is cut, and where its end is.
    let places = (1...12).map { ($0, $0) } + [(1, 13), (9, 11), (11, 5), (14, 7)]
    for (number, end) in places {
      let line = FaultyTransport(server)
      let client = try Client(line, model: scene.model)
      try await client.engine.sync()
      line.cut(after: number)
      let list = try #require(try client.rows("List").first { $0.values[0] == "Shopping" })
      let object = try scene.id("List", list.id.row)
      _ = try? await client.engine.share(object, with: [CloudParticipant("bob", .readWrite)])
      line.beforeEachCall { _ in }
      try await machine.engine.sync()
      #expect(try Scene.texts(machine) == all, "cut after \(number) and \(end) calls")
      try await client.engine.sync()
      let share = try await client.engine.share(object, with: [CloudParticipant("bob", .readWrite)])
      try await scene.guest.engine.accept(share.invitation)
      #expect(
        try Scene.texts(scene.guest).count == all.count - 3, "cut after \(number) and \(end) calls")
      line.cut(after: end)
      _ = try? await client.engine.stopSharing(object)
      line.beforeEachCall { _ in }
      try await sync(machine, client, machine)
      if try client.engine.isShared(object) { try await client.engine.stopSharing(object) }
      try await sync(machine, scene.guest)
      let (mine, others) = (try Scene.texts(client), try Scene.texts(machine))
      #expect(mine == all, "cut after \(number) and \(end) calls")
      #expect(others == all, "cut after \(number) and \(end) calls")
      #expect(try Scene.texts(scene.guest).isEmpty)
      let fresh = try scene.machine(0)
      try await fresh.engine.sync()
      #expect(try Scene.texts(fresh) == all, "cut after \(number) and \(end) calls")
    }
  }
}

extension FaultyTransport {
  /// Has all calls but so many fail, by no temporary error, so that no engine comes again by
  /// itself.
  fileprivate func cut(after count: Int) {
    let first = calls.count + count
    beforeEachCall { number in
      if number >= first { throw CloudError(.notSignedIn, message: "The line was cut.") }
    }
  }
}
