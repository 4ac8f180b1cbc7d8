import Foundation
import SyncStack
import TestSupport
import Testing

/// A payload file that another program writes meanwhile costs a sync, never the program.
@Suite struct PayloadFileTests {
  private static func users(_ count: Int) -> Data {
    var text = "["
    for id in 1...count {
      text +=
        "\(id == 1 ? "" : ",\n"){\"id\": \(id), \"name\": \"A name that takes some room \(id)\"}"
    }
    return Data((text + "]").utf8)
  }

  @Test(arguments: 0..<12)
  func bytesThatAreCutOffDuringReadingAreAnErrorOrWereReadBefore(round: Int) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("users.json")
    let payload = Self.users(20_000)
    try payload.write(to: file)
    let stack = try DataStack.social()
    let sync = Sync(.file(file), inEntityNamed: "User", dataStack: stack)
    let begun = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      begun.wait()
      let handle = try? FileHandle(forWritingTo: file)
      for part in (0...round).reversed() {
        try? handle?.truncate(atOffset: UInt64(payload.count * part / (round + 1)))
      }
      try? handle?.close()
      done.signal()
    }
    sync.stepObserver = { if $0.phase == .parse { begun.signal() } }
    if round % 2 == 0 { begun.signal() }
    sync.start()
    begun.signal()
    done.wait()
    switch try #require(sync.result) {
    case .success(let report): #expect(report["User"].inserted == 20_000)
    case .failure(let error as SyncError): #expect(error.code == .unreadablePayload)
    case .failure(let error): #expect(error is JSONError)
    }
    let count = try stack.keys("User").count
    #expect(count == 0 || count == 20_000)
  }

  @Test(arguments: [0, 1, 10, 1 << 20])
  func aLargeFileIsCopiedAndItsBytesAreTheSame(largest: Int) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("users.json")
    let payload = Self.users(100_000)
    try payload.write(to: file)
    #expect(try PayloadFile(file, largest: largest).read() == payload)
    try Data().write(to: file)
    #expect(try PayloadFile(file, largest: largest).read().isEmpty)
  }

  @Test func copyingCanBeCancelled() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("users.json")
    try Self.users(100).write(to: file)
    let control = SyncControl()
    control.cancel()
    #expect(throws: CancellationError.self) { try PayloadFile(file, largest: 10).read(control) }
  }

  @Test func aFileThatIsNotThereOrAFolderIsAnErrorThatNamesIt() throws {
    let folder = try TemporaryFolder()
    expectError("SyncError unreadablePayload", "none") {
      try PayloadFile(folder.file("none")).read()
    }
    let inner = folder.file("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    #expect(throws: SyncError.self) { try PayloadFile(inner).read() }
  }
}
