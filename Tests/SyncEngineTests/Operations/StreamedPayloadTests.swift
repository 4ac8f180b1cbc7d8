import Foundation
import SyncStack
import TestSupport
import Testing

/// Payloads that come piece by piece.
@Suite(.timeLimit(.minutes(5))) struct StreamedPayloadTests {
  private let stack: DataStack

  init() throws { stack = try DataStack.social() }

  enum Source: CaseIterable {
    case handle
    case pipe
    case chunks
  }

  private static let documents = [
    #"[{"id": 1, "name": "é"}, {"id": 2}, {"id": 3}]"#,
    "{\"id\": 1, \"name\": \"é\"}\n{\"id\": 2}\n{\"id\": 3}\n",
  ]

  private func payload(_ source: Source, _ text: String, _ folder: TemporaryFolder) throws
    -> SyncPayload
  {
    let data = Data(text.utf8)
    switch source {
    case .handle:
      let url = folder.file("payload.json")
      try data.write(to: url)
      return .handle(try FileHandle(forReadingFrom: url))
    case .pipe:
      let pipe = Pipe()
      Thread.detachNewThread {
        for byte in data { try? pipe.fileHandleForWriting.write(contentsOf: Data([byte])) }
        try? pipe.fileHandleForWriting.close()
      }
      return .handle(pipe.fileHandleForReading)
    case .chunks: return chunks(data.map { Data([$0]) })
    }
  }

  private func chunks(_ chunks: [Data]) -> SyncPayload {
    .chunks(
      AsyncStream { continuation in
        for chunk in chunks { continuation.yield(chunk) }
        continuation.finish()
      })
  }

  @Test(arguments: Source.allCases, documents)
  func everySourceGivesWhatTheTextGives(_ source: Source, _ text: String) async throws {
    let folder = try TemporaryFolder()
    let sync = Sync(try payload(source, text, folder), inEntityNamed: "User", dataStack: stack)
    #expect(try await stack.sync(sync).inserted == 3)
    #expect(try stack.keys("User") == [1, 2, 3])
    #expect(try stack.values("User", "name").first == "é")
  }

  @Test func anErrorOfTheSequenceIsThatOfTheSync() async throws {
    struct Broken: Error {}
    let chunks = AsyncThrowingStream<Data, any Error> { continuation in
      continuation.yield(Data("[{\"id\": 1}".utf8))
      continuation.finish(throwing: Broken())
    }
    let sync = Sync(.chunks(chunks), inEntityNamed: "User", dataStack: stack)
    await #expect(throws: Broken.self) { try await stack.sync(sync) }
    #expect(try stack.keys("User").isEmpty)
  }

  @Test func aStreamThatEndsTooEarlyStoresNothing() async throws {
    let payload = chunks([Data("[{\"id\": 1}".utf8)])
    await #expect(throws: JSONError.self) { try await stack.sync(payload, inEntityNamed: "User") }
    #expect(try stack.keys("User").isEmpty)
  }

  @Test func aSyncOfASilentPipeCanBeCancelledAndItsThreadEndsWithIt() async throws {
    let pipe = Pipe()
    var handle: FileHandle? = FileHandle(
      fileDescriptor: pipe.fileHandleForReading.fileDescriptor, closeOnDealloc: false)
    weak let held = handle
    var sync: Sync? = try Sync(.handle(#require(handle)), inEntityNamed: "User", dataStack: stack)
    handle = nil
    try pipe.fileHandleForWriting.write(contentsOf: Data("[".utf8))
    if let sync {
      stack.syncQueue.addOperation(sync)
      while !sync.isExecuting { await Task.yield() }
      sync.cancel()
      sync.waitUntilFinishedElsewhere()
      #expect(throws: CancellationError.self) { try sync.result?.get() }
    }
    sync = nil
    // No other reference holds it; and the other end is still open.
    while held != nil { await Task.yield() }
    // Bytes that come afterwards belong to the next reader.
    try pipe.fileHandleForWriting.write(contentsOf: Data("x".utf8))
    #expect(pipe.fileHandleForReading.availableData.last == UInt8(ascii: "x"))
    try pipe.fileHandleForWriting.close()
  }

  @Test func aSyncOfASilentSequenceCanBeCancelled() async throws {
    let (chunks, continuation) = AsyncStream<Data>.makeStream()
    let isOver = AsyncStream<Void>.makeStream()
    continuation.onTermination = { _ in isOver.continuation.finish() }
    let sync = Sync(.chunks(chunks), inEntityNamed: "User", dataStack: stack)
    stack.syncQueue.addOperation(sync)
    while !sync.isExecuting { await Task.yield() }
    sync.cancel()
    sync.waitUntilFinishedElsewhere()
    #expect(throws: CancellationError.self) { try sync.result?.get() }
    // The sequence is let go of, too.
    for await _ in isOver.stream {}
  }

  @Test func aStreamCanBeReadOnce() async throws {
    let payload = chunks([Data("[]".utf8)])
    try await stack.sync(payload, inEntityNamed: "User")
    await expectError("SyncError unreadablePayload", "only once") {
      try await stack.sync(payload, inEntityNamed: "User")
    }
  }
}
