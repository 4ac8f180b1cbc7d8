import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// The decisions and the news of a delegate.
@Suite(.timeLimit(.minutes(5))) struct DelegateTests {
  private let server = MemoryTransport()

  private final class Listener: CloudDelegate {
    struct Heard {
      var asked: [CloudOutgoing] = []
      var inserted = 0
      var failures: [String] = []
    }

    let heard = Locked(Heard())
    let allows = Locked<@Sendable (CloudOutgoing) -> Bool>({ _ in true })
    let sends = Locked<@Sendable (CloudOutgoing) -> JSONObject>({ $0.content })

    func cloud(_ cloud: CloudEngine, shouldPush record: CloudOutgoing) -> Bool {
      heard.withLock { $0.asked.append(record) }
      return allows.withLock { $0 }(record)
    }

    func cloud(_ cloud: CloudEngine, willPush record: CloudOutgoing) -> JSONObject {
      sends.withLock { $0 }(record)
    }

    func cloud(_ cloud: CloudEngine, didPull changes: [ChangeSet]) {
      heard.withLock { $0.inserted += changes.map(\.inserted.count).reduce(0, +) }
    }

    func cloud(_ cloud: CloudEngine, didFail error: any Error, in direction: CloudDirection) {
      heard.withLock { $0.failures.append("\(direction) \((error as? CloudError)?.code as Any)") }
    }
  }

  /// As a view model of an app: a class of the main actor that hears of the engine's work.
  @MainActor private final class Screen {
    var inserted = 0
    var failures: [CloudError.Code?] = []

    func follow(_ events: AsyncStream<CloudEvent>) async {
      for await event in events {
        switch event {
        case .changed(let changes): inserted += changes.map(\.inserted.count).reduce(0, +)
        case .failed(let error, .pull): failures.append((error as? CloudError)?.code)
        case .failed: break
        }
      }
    }
  }

  /// And one that has a say.
  @MainActor private final class Editor: CloudDelegate {
    nonisolated func cloud(_ cloud: CloudEngine, shouldPush record: CloudOutgoing) -> Bool {
      record.entity != "Folder"
    }
  }

  /// An engine that pulls, fails to pull because the store was closed, and goes.
  @MainActor private func follow(_ screen: Screen) async throws -> Task<Void, Never> {
    let here = try Client(server)
    let events = here.engine.events
    let following = Task { await screen.follow(events) }
    try await here.engine.sync()
    try here.close()
    await #expect { try await here.engine.pull() } throws: { $0.says("StoreError", "closed") }
    return following
  }

  @Test @MainActor func aClassOfTheMainActorHearsOfWhatIsDone() async throws {
    let (screen, editor) = (Screen(), Editor())
    let there = try Client(server)
    for title in ["a", "b"] { try there.insert("Note", ["title": .string(title)]) }
    try there.insert("Folder", ["name": "kept back"])
    there.engine.delegate = editor
    try await there.engine.sync()
    let following = try await follow(screen)
    // The events end with the engine.
    await following.value
    #expect(screen.inserted == 2)
    #expect(screen.failures.count == 1)
    withExtendedLifetime(editor) {}
  }

  @Test func whatIsNotToBeSentWaitsUntilItIs() async throws {
    let (here, listener) = (try Client(server), Listener())
    here.engine.delegate = listener
    let note = try here.insert("Note", ["title": "draft"])
    try here.insert("Folder", ["name": "Home"])
    listener.allows.withLock { $0 = { $0.entity == "Folder" } }
    #expect(try await here.engine.push().sent == 1)
    #expect(here.engine.status.waiting == 1)
    let asked = listener.heard.withLock { $0.asked }.filter { $0.entity == "Note" }
    #expect(asked.map(\.object?.row) == [note])
    #expect(asked.first?.content["f_title"] == "draft")
    listener.allows.withLock { $0 = { _ in true } }
    #expect(try await here.engine.push().sent == 1)
    try await settle([here], fresh: server)
  }

  @Test func membersAreLeftOutOrRewritten() async throws {
    let (here, there, listener) = (try Client(server), try Client(server), Listener())
    here.engine.delegate = listener
    listener.sends.withLock {
      $0 = { record in
        var content = record.content
        content["f_text"] = nil
        if content["f_title"] != nil { content["f_title"] = "rewritten" }
        return content
      }
    }
    let note = try here.insert("Note", ["title": "a", "text": "own", "stars": 1])
    try await sync(here, there)
    #expect(try there.values("Note", "title") == ["rewritten"])
    #expect(try there.values("Note", "stars") == [1])
    #expect(try there.values("Note", "text") == [.null])
    #expect(try here.values("Note", "title") == ["a"])
    #expect(here.engine.status.waiting == 0)
    // A field that was left out waits; nothing is sent for it alone.
    try here.update("Note", note, ["text": "mine"])
    #expect(try await here.engine.push().batches == 0)
    try here.update("Note", note, ["stars": 2])
    #expect(try await here.engine.push().sent == 1)
    #expect(here.engine.status.waiting == 1)
    let record = try #require(server.records(in: here.engine.zone).values.first?.content)
    #expect(record["f_text"] == nil && record["t_text"] == nil)
    #expect(try here.values("Note", "text") == ["mine"])
    here.engine.delegate = nil
    try await sync(here, there)
    #expect(try there.values("Note", "text") == ["mine"])
    #expect(here.engine.status.waiting == 0)
  }

  @Test func pullsAndFailuresAreTold() async throws {
    let transport = FaultyTransport(server)
    let (here, there, listener) = (
      try Client(transport, retry: RetryPolicy(attempts: 0, delay: 0)), try Client(server),
      Listener()
    )
    here.engine.delegate = listener
    for number in 0..<3 { try there.insert("Note", ["stars": .int(Int64(number))]) }
    try await there.engine.push()
    // An object that is here already was not changed by the pull.
    try here.insert("Folder", ["name": "Home"])
    try await here.engine.sync()
    #expect(listener.heard.withLock { $0.inserted } == 3)
    try await here.engine.sync()
    #expect(listener.heard.withLock { $0.inserted } == 3)
    transport.fail(CloudError(.unreachable, message: "No answer."))
    await #expect(throws: CloudError.self) { try await here.engine.pull() }
    let failures = listener.heard.withLock { $0.failures }
    #expect(failures.count == 1 && failures[0].hasPrefix("pull"))
    #expect(failures[0].contains("unreachable"))
  }

  @Test func aDelegateIsNotKeptAlive() throws {
    let here = try Client(server)
    do {
      let listener = Listener()
      here.engine.delegate = listener
      #expect(here.engine.delegate === listener)
    }
    #expect(here.engine.delegate == nil)
  }
}
