import Foundation
import TestPayloads

/// The measurements of one process.
public struct Figures: Sendable, Codable {
  /// Seconds until the sync returned.
  public var wall: Double
  /// Seconds until the file was closed and the log folded back.
  public var total: Double
  /// Seconds of all processors until the file was closed.
  public var processor: Double
  /// Growth of the resident memory beyond that with the payload in memory, in bytes; of a payload
  /// in a file, without mapped pages.
  public var peak: Int
  public var payload: Int
  public var counts: Counts
}

/// The counts of one sync in one process.
public struct Tallies: Sendable, Codable {
  /// Requests for memory until the sync returned; nil where they are not counted.
  public var heapRequests: Int?
  /// The same of a second sync of the payload, which changes nothing and prepares nothing.
  public var heapRequestsAgain: Int?
  public var statements: Int
  public var counts: Counts
}

/// Runs one job in this process.
public struct Job {
  public let scenario: Scenario
  public let payloads: Payloads

  public init(_ scenario: Scenario, _ payloads: Payloads) {
    self.scenario = scenario
    self.payloads = payloads
  }

  /// Makes the database that the scenarios other than ``Scenario/cold`` begin with.
  public func makeDatabase(_ name: String, _ type: any Contender.Type) throws {
    let url = payloads.database(name)
    try Job.remove(url)
    let contender = try type.init(path: url.path, set: payloads.set)
    try contender.prepare(payloads)
    _ = try contender.sync(try payloads.load("base"))
    try contender.close()
  }

  /// A sync of the scenario's payload.
  private struct Step {
    let contender: any Contender
    let payloadSize: Int
    let sync: () throws -> Counts
  }

  /// Opens a file that a job begins with, and its payload.
  private func open<Result>(
    _ name: String, _ type: any Contender.Type, _ body: (Step) throws -> Result
  ) throws -> Result {
    let url = payloads.folder.appending(
      path: "run-\(ProcessInfo.processInfo.processIdentifier).sqlite")
    try Job.remove(url)
    defer { try? Job.remove(url) }
    if !scenario.beginsEmpty {
      try FileManager.default.copyItem(at: payloads.database(name), to: url)
    }
    let contender = try type.init(path: url.path, set: payloads.set)
    let variant = scenario.variant.rawValue
    if scenario.beginsEmpty { try contender.prepare(payloads) }
    if scenario == .streamed {
      let file = payloads.url(variant)
      let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      return try body(
        Step(contender: contender, payloadSize: size) { try contender.sync(file: file) })
    }
    let payload = try payloads.load(variant)
    return try body(
      Step(contender: contender, payloadSize: payload.count) { try contender.sync(payload) })
  }

  /// Syncs a number of times and closes, so that instructions can be counted from outside: the cost
  /// of one sync is the difference of two processes, one of which makes one sync more.
  public func repeatSync(_ count: Int, _ name: String, _ type: any Contender.Type) throws {
    try open(name, type) { step in
      for _ in 0..<count { _ = try step.sync() }
      try step.contender.close()
    }
  }

  /// Counts the requests of one sync.
  public func count(_ name: String, _ type: any Contender.Type) throws -> Tallies {
    Counters.countStatements()
    return try open(name, type) { step in
      let statements = Counters.statementCount
      let (counts, heapRequests) = try countHeap(step.sync)
      let statementCount = Counters.statementCount - statements
      let (_, heapRequestsAgain) = try countHeap(step.sync)
      try step.contender.close()
      return Tallies(
        heapRequests: heapRequests, heapRequestsAgain: heapRequestsAgain,
        statements: statementCount, counts: counts)
    }
  }

  private func countHeap(_ sync: () throws -> Counts) rethrows -> (Counts, Int?) {
    let before = Counters.heapRequests
    let counts = try sync()
    return (counts, Counters.heapRequests.flatMap { now in before.map { now - $0 } })
  }

  /// Measures one sync.
  public func measure(_ name: String, _ type: any Contender.Type) throws -> Figures {
    try open(name, type, measure)
  }

  private func measure(_ step: Step) throws -> Figures {
    let memory = MemoryWatch(scenario)
    let processor = ProcessFigures.processorSeconds
    let start = ContinuousClock.now
    let counts = try step.sync()
    let wall = start.duration(to: .now)
    try step.contender.close()
    let total = start.duration(to: .now)
    return Figures(
      wall: wall.seconds, total: total.seconds,
      processor: ProcessFigures.processorSeconds - processor,
      peak: memory.end(), payload: step.payloadSize, counts: counts)
  }

  private static func remove(_ url: URL) throws {
    for suffix in ["", "-wal", "-shm"]
    where FileManager.default.fileExists(atPath: url.path + suffix) {
      try FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
