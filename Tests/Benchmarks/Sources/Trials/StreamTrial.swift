import Floor
import Foundation
import Measuring
import SyncStack
import TestPayloads

/// Imports a file larger than should be in memory: how long it takes, how much memory it needs, and
/// whether the second run, with one user in ten gone and as many new, reports exactly that.
struct StreamTrial {
  let users: Int
  let folder: URL

  /// Writes the payloads that are not there yet.
  func make() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for variant in [UserPayload.Variant.base, .churned] {
      let url = file(variant)
      guard !FileManager.default.fileExists(atPath: url.path) else { continue }
      _ = FileManager.default.createFile(atPath: url.path, contents: nil)
      let handle = try FileHandle(forWritingTo: url)
      try UserPayload(count: users).forEachPiece(variant) { try handle.write(contentsOf: $0) }
      try handle.close()
    }
  }

  func file(_ variant: UserPayload.Variant) -> URL {
    folder.appending(path: "users-\(users)-\(variant.rawValue).json")
  }

  private var store: URL { folder.appending(path: "stream-\(users).sqlite") }

  private func removeStore() {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: store.path + suffix)
    }
  }

  /// The same job by the floor, with the payload mapped.
  func floor() throws {
    removeStore()
    defer { removeStore() }
    let data = try Data(contentsOf: file(.base), options: .alwaysMapped)
    let floor = try FloorContender(path: store.path, set: .users)
    let start = ContinuousClock.now
    let counts = try data.withUnsafeBytes { try floor.sync($0) }
    report("floor", start, ResidentMemory.bytes, data.count, "\(counts)")
    try floor.close()
  }

  /// - Parameter variant: ``UserPayload/Variant/base`` begins with an empty store, the other one
  ///   goes on with the store that it left.
  func run(_ variant: UserPayload.Variant, from source: String) throws {
    if variant == .base { removeStore() }
    let stack = try DataStack(model: try TrialModel.users(), store: .sqlite(store))
    let memory = ResidentMemory()
    let start = ContinuousClock.now
    let sync = Sync(try payload(variant, source), inEntityNamed: "User", dataStack: stack)
    stack.syncQueue.addOperations([sync], waitUntilFinished: true)
    guard let result = try sync.result?.get() else { return }
    let size = try file(variant).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    report("\(variant) from a \(source)", start, memory.end(), size, "\(result)")
    let durations = result.phaseDurations.sorted { $0.key < $1.key }
    say(durations.map { "  \($0.key) \(String(format: "%.2f", $0.value))" }.joined())
    let counts = Counts(inserted: result.inserted, updated: result.updated, deleted: result.deleted)
    let outcome = UserPayload(count: users).outcome(variant)
    let expected =
      variant == .base
      ? Counts(inserted: users * 4)
      : Counts(inserted: outcome.inserted, updated: outcome.updated, deleted: outcome.deleted)
    guard counts == expected else { throw MeasuringError("Found \(counts), not \(expected).") }
    try stack.close()
  }

  private func payload(_ variant: UserPayload.Variant, _ source: String) throws -> SyncPayload {
    guard source == "pipe" else { return .file(file(variant)) }
    let pipe = Pipe()
    let handle = try FileHandle(forReadingFrom: file(variant))
    Thread.detachNewThread {
      while let data = try? handle.read(upToCount: 1 << 20), !data.isEmpty {
        try? pipe.fileHandleForWriting.write(contentsOf: data)
      }
      try? pipe.fileHandleForWriting.close()
    }
    return .handle(pipe.fileHandleForReading)
  }

  private func report(
    _ name: String, _ start: ContinuousClock.Instant, _ memory: Int, _ size: Int, _ text: String
  ) {
    let seconds = start.duration(to: .now) / .seconds(1)
    say(
      String(
        format: "%@: %.1f s, %.0f MB of memory, %.3f of the payload (%.0f MB)", name, seconds,
        Double(memory) / 1e6, Double(memory) / Double(max(size, 1)), Double(size) / 1e6))
    say(text)
  }
}
