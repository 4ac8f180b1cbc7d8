import SyncStack
import Testing

@testable import SyncCloud

/// Participants one by one, with their views and rights.
@Suite(.timeLimit(.minutes(5))) struct ParticipantTests {
  @Test(arguments: SharingServer.available)
  func oneParticipantComesAndGoesAndTheOthersStay(_ server: SharingServer) async throws {
    let scene = try await Scene(server)
    let list = try scene.id("List", scene.list)
    let engine = scene.owner.engine
    let carl = try await scene.transports[2].account()
    await expectError(.notFound) {
      try await engine.addParticipant(.init(carl, .readOnly), to: list)
    }
    try await scene.owner.engine.share(list, with: [.init(scene.guestName, .readWrite)])
    func rights() async throws -> [CloudZoneState.Access] {
      let all = try await engine.participants(of: list)
      return [scene.guestName, carl].compactMap { name in
        all.first { $0.account == name || $0.account.hasSuffix(":\(name)") }?.access
      }
    }
    try await engine.addParticipant(.init(carl, .readOnly), to: list)
    #expect(try await rights() == [.readWrite, .readOnly])
    try await engine.addParticipant(.init(carl, .readWrite), to: list)
    #expect(try await rights() == [.readWrite, .readWrite])
    try await engine.removeParticipant(carl, from: list)
    try await engine.removeParticipant(carl, from: list)
    #expect(try await rights() == [.readWrite])
    #expect(try await engine.participants(of: list).count == 1)
  }

  /// The pair is the reader's: it is in his own zone, and on his other machines.
  @Test func whoMayOnlyReadJoinsWhatIsSharedWithHisOwn() async throws {
    let scene = try await Scene.shared(.readOnly).scene
    let context = scene.guest.stack.newBackgroundContext()
    try await context.perform {
      func note(_ title: String) throws -> ManagedObject {
        try #require(
          try context.fetch(Fetch<ManagedObject>(entityNamed: "Note", "title == %@", title)).first)
      }
      let mine = try context.insert(entityNamed: "Note")
      mine.setValue("mine", forKey: "title")
      try context.save()
      mine.setValue(Set([try note("n5")]), forKey: "related")
      try context.save()
      // Two that are shared are not his to join.
      try note("n6").setValue(Set([try note("n7")]), forKey: "related")
      #expect { try context.save() } throws: { ($0 as? GraphError)?.code == .readOnly }
      context.rollback()
    }
    try await scene.guest.engine.sync()
    #expect(scene.guest.engine.status.waiting == 0)
    #expect(scene.guest.engine.status.problems.isEmpty)
    let other = try scene.machine(1)
    for _ in 0..<2 { try await other.engine.sync() }
    let rows = try other.rows("Note")
    let titles = try other.stack.store.read { reader in
      let note = try reader.model.requireEntity(named: "Note")
      let related = try #require(note.property(named: "related")?.relationship)
      let mine = try #require(rows.first { $0.values[0] == "mine" })
      let members = try reader.members(of: related, in: note, owners: [mine.row]).map(\.row)
      return rows.filter { members.contains($0.row) }.map { $0.values[0] }
    }
    #expect(titles == ["n5"])
    try await scene.owner.engine.sync()
    #expect(try !Scene.texts(scene.owner).contains { $0.hasPrefix("mine") })
  }

  /// References out of a share, and to deleted objects, wait for nothing.
  @Test func noLinkWaitsWhenAllHasCome() async throws {
    let scene = try await Scene(.memory)
    let share = try await scene.owner.engine.share(
      try scene.id("List", scene.list), with: [.init(scene.guestName, .readWrite)])
    try await scene.guest.engine.accept(share.invitation)
    try await sync(scene.guest, scene.owner, scene.guest)
    for client in [scene.guest, scene.owner] {
      #expect(client.engine.status.waitingLinks == 0)
    }
    let late = try scene.machine(1)
    try await late.engine.sync()
    #expect(late.engine.status.waitingLinks == 0)
  }

  /// A pair of the guest's with an object that goes: it is deleted, or its owner takes it out.
  @Test(arguments: [false, true])
  func noLinkWaitsForWhatHasLeft(_ isDeleted: Bool) async throws {
    let scene = try await Scene.shared().scene
    let mine = try scene.guest.insert("Note", ["title": "mine"])
    let shared = try #require(try scene.row(scene.guest, titled: "n5"))
    try scene.guest.link("Note", mine, "related", [shared])
    try await scene.guest.engine.sync()
    let away = try scene.machine(1)
    try await away.engine.sync()
    if isDeleted {
      try scene.owner.delete("Note", scene.notes[4])
    } else {
      let secret = try #require(try scene.owner.rows("Section").last { $0.values[0] == "S" })
      try scene.owner.update("Note", scene.notes[4], ["section": .int(secret.id.row)])
    }
    try await scene.owner.engine.sync()
    let fresh = try scene.machine(1)
    for client in [scene.guest, away, fresh] {
      try await client.engine.sync()
      #expect(try scene.row(client, titled: "n5") == nil)
      #expect(client.engine.status.waitingLinks == 0)
    }
  }
}
