import Foundation
import Measuring
import SyncStack

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Pending insertions, sent by an outbox and by a plain loop that posts the same bodies under the
/// same keys, as many at a time, and does nothing with the answers but look at their status. They
/// take turns, in one process; the server is another.
struct Trial {
  let changes: Int
  let concurrency: Int
  let rounds: Int
  let milliseconds: Int

  final class Order: ManagedObject {
    @PrimaryKey var id: Int64?
    @Attribute var customer: String?
    @Attribute var status: String?
    @Attribute var amount: Double?
    @Attribute var createdAt: Date?
  }

  func run() async throws {
    let server = try ServerProcess(milliseconds)
    defer { server.end() }
    let session = URLSession(configuration: .ephemeral)
    let bodies = try await withOutbox(of: changes) { _, stack in
      let list = try stack.export("Order").arrayValue ?? []
      return list.map { value in
        var object = value.objectValue ?? JSONObject()
        object["id"] = nil
        return JSONValue.object(object).data
      }
    }
    var ratios: [Double] = []
    var best = (plain: Time.worst, outbox: Time.worst)
    // The first round warms both up.
    for round in 0...rounds {
      let plain = try await Time.measure { try await post(bodies, session, server.url) }
      let outbox = try await withOutbox(of: changes) { outbox, _ in
        handle(outbox, session, server.url)
        return try await Time.measure {
          let report = try await outbox.send()
          guard report.accepted == changes else { throw MeasuringError("\(report)") }
        }
      }
      guard round > 0 else { continue }
      ratios.append(outbox.elapsed / plain.elapsed)
      best.plain = min(best.plain, plain)
      best.outbox = min(best.outbox, outbox)
    }
    print(
      "\(changes) insertions, \(concurrency) at a time, \(milliseconds) ms of the server's for each, the best of \(rounds) rounds:"
    )
    print("  plain loop  \(best.plain.description(of: changes))")
    print("  outbox      \(best.outbox.description(of: changes))")
    print(
      "  ratio       \(String(format: "%.2f", ratios.sorted()[rounds / 2])), the median of the rounds"
    )
    for count in [changes / 10, changes] {
      let growth = try await withOutbox(of: count) { outbox, _ in
        handle(outbox, session, server.url)
        let memory = ResidentMemory()
        try await outbox.send()
        return memory.end()
      }
      print(
        "  memory      grew by \(String(format: "%.1f", Double(growth) / 1_048_576)) MB at most while \(count) were sent"
      )
    }
  }

  /// Posts the bodies as a program without an outbox would.
  private func post(_ bodies: [Data], _ session: URLSession, _ url: URL) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, body) in bodies.enumerated() {
        if number >= concurrency { try await group.next() }
        group.addTask {
          _ = try await Trial.post(body, UUID().uuidString, session, url)
        }
      }
      try await group.waitForAll()
    }
  }

  private func handle(_ outbox: Outbox, _ session: URLSession, _ url: URL) {
    outbox.concurrency = concurrency
    outbox.send(Order.self) { change in
      let (data, response) = try await Trial.post(
        change.json.data, change.idempotencyKey, session, url)
      return OutboxAnswer(data, response)
    }
  }

  private static func post(
    _ body: Data, _ key: String, _ session: URLSession, _ url: URL
  ) async throws -> (Data, URLResponse) {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpBody = body
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
    let (data, response) = try await session.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 201 else {
      throw MeasuringError("\(response)")
    }
    return (data, response)
  }

  /// A store in a file with so many new objects, and its outbox.
  private func withOutbox<T>(
    of count: Int, _ body: (Outbox, DataStack) async throws -> T
  ) async throws -> T {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "outbox-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let stack = try DataStack(
      model: ManagedObjectModel(Order.self),
      store: .sqlite(folder.appending(path: "orders.sqlite")), tracksChanges: true)
    let outbox = try Outbox(stack, name: "api")
    try await stack.performBackgroundTask { context in
      for number in 0..<count {
        let order = Order(context: context)
        order.customer = "Customer \(number)"
        order.status = "open"
        order.amount = Double(number) / 100
        order.createdAt = Date(timeIntervalSinceReferenceDate: Double(number))
      }
      try context.save()
    }
    let result = try await body(outbox, stack)
    try stack.close()
    return result
  }
}

/// How long something took.
struct Time: Comparable {
  var elapsed: Double
  var processor: Double

  static let worst = Time(elapsed: .infinity, processor: .infinity)

  static func < (a: Time, b: Time) -> Bool { a.elapsed < b.elapsed }

  static func measure(_ body: () async throws -> Void) async throws -> Time {
    let (began, used) = (ContinuousClock.now, ProcessFigures.processorSeconds)
    try await body()
    return Time(
      elapsed: (ContinuousClock.now - began) / .seconds(1),
      processor: ProcessFigures.processorSeconds - used)
  }

  func description(of count: Int) -> String {
    let (each, busy) = (elapsed / Double(count) * 1e6, processor / Double(count) * 1e6)
    return String(format: "%.0f µs a change, %.0f µs of them processor time here", each, busy)
  }
}

/// This program as a server, in a process of its own.
struct ServerProcess {
  let url: URL
  private let process = Process()
  private let input = Pipe()

  init(_ milliseconds: Int) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = ["serve", String(milliseconds)]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)),
      let url = URL(string: "http://127.0.0.1:\(port)/orders")
    else { throw MeasuringError("The server said “\(text)”.") }
    self.url = url
  }

  func end() { try? input.fileHandleForWriting.close() }
}
