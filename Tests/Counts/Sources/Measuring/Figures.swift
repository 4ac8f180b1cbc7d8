import Foundation
import TestPayloads

/// What one process measured.
public struct Figures: Sendable, Codable {
  /// Seconds until the sync returned.
  public var wall: Double
  /// Seconds until the file was closed and the log folded back.
  public var total: Double
  /// Seconds of all processors until the file was closed.
  public var processor: Double
  /// Growth of the resident memory beyond what it was with the payload in memory, in bytes.
  public var peak: Int
  public var payload: Int
  public var counts: Counts
}

/// What one process counted of one sync.
public struct Tallies: Sendable, Codable {
  /// Requests for memory until the sync returned; nil where nobody counts.
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

  /// Opens a file that a job begins with, and shows it and its payload.
  private func open<Result>(
    _ name: String, _ type: any Contender.Type,
    _ body: (any Contender, UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let url = payloads.folder.appending(
      path: "run-\(ProcessInfo.processInfo.processIdentifier).sqlite")
    try Job.remove(url)
    defer { try? Job.remove(url) }
    if scenario != .cold {
      try FileManager.default.copyItem(at: payloads.database(name), to: url)
    }
    let payload = try payloads.load(scenario.variant.rawValue)
    let contender = try type.init(path: url.path, set: payloads.set)
    if scenario == .cold { try contender.prepare(payloads) }
    return try body(contender, payload)
  }

  /// Syncs a number of times and closes, so that instructions can be counted from outside: what one sync
  /// costs is the difference of two processes, one of which makes one sync more.
  public func repeatSync(_ count: Int, _ name: String, _ type: any Contender.Type) throws {
    try open(name, type) { contender, payload in
      for _ in 0..<count { _ = try contender.sync(payload) }
      try contender.close()
    }
  }

  /// Counts what one sync asks for.
  public func count(_ name: String, _ type: any Contender.Type) throws -> Tallies {
    Counters.countStatements()
    return try open(name, type) { contender, payload in
      let statements = Counters.statementCount
      let (counts, heapRequests) = try countHeap { try contender.sync(payload) }
      let statementCount = Counters.statementCount - statements
      let (_, heapRequestsAgain) = try countHeap { try contender.sync(payload) }
      try contender.close()
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

  private func measure(
    _ contender: any Contender, _ payload: UnsafeRawBufferPointer
  ) throws -> Figures {
    ProcessFigures.resetPeak()
    let memory = ProcessFigures.residentBytes
    let processor = ProcessFigures.processorSeconds
    let start = ContinuousClock.now
    let counts = try contender.sync(payload)
    let wall = start.duration(to: .now)
    try contender.close()
    let total = start.duration(to: .now)
    return Figures(
      wall: wall.seconds, total: total.seconds,
      processor: ProcessFigures.processorSeconds - processor,
      peak: ProcessFigures.peakBytes - memory, payload: payload.count, counts: counts)
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
