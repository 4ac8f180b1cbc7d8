import Foundation
import SyncCore
import SyncStack
import Testing

/// The built `syncstack` in a process of its own: for features of processes alone, such as signals,
/// standard input and output, and an end.
///
/// `texts` is protected by its lock, `process` belongs to the test.
final class ToolProcess: @unchecked Sendable {
  // Unchecked: `Process` is set up before it runs, and its later members may be used from any
  // thread.
  let process = Process()
  private let texts = Locked((output: "", error: ""))
  private let ends = DispatchGroup()

  /// The text that the process has written to its standard output and error so far.
  var output: String { texts.withLock { $0.output } }
  var error: String { texts.withLock { $0.error } }

  /// The tool lies where the tests were built to.
  static var executable: URL {
    get throws {
      let folders =
        [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
        .compactMap(\.self) + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
      let found = folders.map { $0.appending(path: "syncstack") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
      return try #require(found, "syncstack is not beside the tests in \(folders)")
    }
  }

  /// Starts the tool.
  ///
  /// - Parameters:
  ///   - output: Where its standard output goes; nil is ``output``.
  ///   - environment: Variables that it has beside ours.
  init(
    _ words: [String], input: FileHandle = .nullDevice, output: FileHandle? = nil,
    environment: [String: String] = [:]
  ) throws {
    process.executableURL = try ToolProcess.executable
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    let error = Pipe()
    process.standardError = error
    collect(error) { texts, text in texts.error += text }
    if let output {
      process.standardOutput = output
    } else {
      let pipe = Pipe()
      process.standardOutput = pipe
      collect(pipe) { texts, text in texts.output += text }
    }
    // Foundation's waitUntilExit() keeps a processor busy on any other thread than that of run().
    ends.enter()
    process.terminationHandler = { [ends] _ in ends.leave() }
    do {
      try process.run()
    } catch {
      ends.leave()
      throw error
    }
  }

  private func collect(
    _ pipe: Pipe,
    _ add: @escaping @Sendable (inout (output: String, error: String), String) -> Void
  ) {
    let handle = pipe.fileHandleForReading
    ends.enter()
    Thread.detachNewThread { [self] in
      while case let data = handle.availableData, !data.isEmpty {
        texts.withLock { add(&$0, String(decoding: data, as: UTF8.self)) }
      }
      ends.leave()
    }
  }

  /// Waits until the process has ended and everything it wrote was read.
  ///
  /// - Returns: How it ended; 128 and the number of the signal that ended it, as shells say it.
  @discardableResult
  func wait() async -> Int32 {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        ends.wait()
        continuation.resume()
      }
    }
    let status = process.terminationStatus
    return process.terminationReason == .uncaughtSignal ? 128 + status : status
  }

  /// Sends a signal as soon as something holds, unless the process has ended, and waits for its
  /// end. Looks from a thread of its own: those of tasks may all be busy with other tests.
  func end(by number: Int32, when condition: @escaping @Sendable () throws -> Bool) async -> Int32 {
    Thread.detachNewThread { [self] in
      while process.isRunning, (try? condition()) != true { Thread.sleep(forTimeInterval: 0.002) }
      if process.isRunning { signal(number) }
    }
    return await wait()
  }

  /// Waits until something holds, or until the process has ended. Looks now and then: the work of
  /// another process is no event here, and it needs the processors.
  func until(_ condition: () throws -> Bool) async throws {
    while process.isRunning, try !condition() { try await Task.sleep(for: .milliseconds(3)) }
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }
}
