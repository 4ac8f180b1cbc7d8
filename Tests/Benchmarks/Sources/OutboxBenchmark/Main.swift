import Foundation
import Loopback
import SyncStack

/// ```
/// OutboxBenchmark [CHANGES] [CONCURRENCY] [ROUNDS] [MS]   sends so many pending insertions beside a plain loop of the same
///                                                         requests, to a server that takes so many milliseconds for each
/// OutboxBenchmark serve [MS]                              that server, which makes keys; prints its port
/// ```
@main
struct Main {
  static func main() async {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst())
      func number(_ index: Int, _ fallback: Int) -> Int {
        arguments.count > index ? Int(arguments[index]) ?? fallback : fallback
      }
      if arguments.first == "serve" { try serve(milliseconds: number(1, 0)) }
      let trial = Trial(
        changes: number(0, 10_000), concurrency: number(1, 4), rounds: number(2, 5),
        milliseconds: number(3, 0))
      try await trial.run()
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  /// Answers every request with the object that it brings, and a key.
  private static func serve(milliseconds: Int) throws -> Never {
    let keys = Locked(Int64(0))
    let server = try LoopbackServer(keepsConnections: true) { request in
      var object = (try? JSONValue(parsing: request.body))?.objectValue ?? JSONObject()
      object["id"] = .integer(keys.next())
      if milliseconds > 0 { usleep(UInt32(milliseconds) * 1000) }
      return .json(JSONValue.object(object).description, status: 201)
    }
    FileHandle.standardOutput.write(Data("\(server.port)\n".utf8))
    // Until the program that started it is gone.
    _ = FileHandle.standardInput.readDataToEndOfFile()
    exit(0)
  }
}

/// A count that several threads take from.
private final class Locked: @unchecked Sendable {
  // Unchecked: the value is only touched with the lock held.
  private let lock = NSLock()
  private var value: Int64

  init(_ value: Int64) { self.value = value }

  func next() -> Int64 {
    lock.withLock {
      value += 1
      return value
    }
  }
}
