public import Foundation

/// Has jobs done by this program, each in a process of its own, so that none profits from another
/// one.
///
/// ```
/// make   CONTENDER SET SIZE FOLDER                 the database that jobs begin with
/// job    CONTENDER SET SCENARIO SIZE FOLDER        one measurement, as JSON
/// count  CONTENDER SET SCENARIO SIZE FOLDER        the requests of one sync, as JSON
/// repeat CONTENDER SET SCENARIO SIZE FOLDER N      N syncs and nothing else, to be watched from outside
/// ```
public struct Bench: Sendable {
  public let folder: URL
  private let contender: @Sendable (String) -> (any Contender.Type)?

  public init(folder: URL, contender: @escaping @Sendable (String) -> (any Contender.Type)?) {
    self.folder = folder
    self.contender = contender
  }

  /// A data set, a scenario and a size, and the contender that syncs it.
  public struct Place: Sendable {
    public let contender: String
    public let set: DataSet
    public let scenario: Scenario
    public let size: Int

    public init(_ contender: String, _ set: DataSet, _ scenario: Scenario, _ size: Int) {
      self.contender = contender
      self.set = set
      self.scenario = scenario
      self.size = size
    }

    var arguments: [String] { [contender, set.rawValue, scenario.rawValue, "\(size)"] }
  }

  // MARK: - From outside

  public func make(_ contender: String, _ set: DataSet, _ size: Int) throws {
    _ = try Subprocess.output(
      of: Subprocess.program, ["make", contender, set.rawValue, "\(size)", folder.path])
  }

  public func measure(_ place: Place) throws -> Figures {
    try JSONDecoder().decode(Figures.self, from: output("job", place))
  }

  public func count(_ place: Place) throws -> Tallies {
    try JSONDecoder().decode(Tallies.self, from: output("count", place))
  }

  private func output(_ command: String, _ place: Place) throws -> Data {
    try Subprocess.output(of: Subprocess.program, [command] + place.arguments + [folder.path])
  }

  /// The instructions of a sync, of all threads and until the file is closed; nil when they are not
  /// counted here.
  public func instructions(_ place: Place, _ counter: InstructionCounter) throws -> Int? {
    func count(_ syncs: Int) throws -> Int? {
      try counter.count(
        Subprocess.program, ["repeat"] + place.arguments + [folder.path, "\(syncs)"])
    }
    guard let without = try count(0), let with = try count(1) else { return nil }
    return with - without
  }

  // MARK: - Inside

  /// Runs the command of the arguments.
  ///
  /// - Returns: False when they say nothing of the kind.
  public func run(_ arguments: [String]) throws -> Bool {
    switch arguments.first {
    case "job" where arguments.count == 6:
      let job = try job(arguments)
      let figures = try job.measure(arguments[1], try type(arguments[1]))
      try check(figures.counts, job, arguments[1])
      try print(figures)
    case "count" where arguments.count == 6:
      let job = try job(arguments)
      let tallies = try job.count(arguments[1], try type(arguments[1]))
      try check(tallies.counts, job, arguments[1])
      try print(tallies)
    case "repeat" where arguments.count == 7:
      try job(arguments).repeatSync(Int(arguments[6]) ?? 1, arguments[1], try type(arguments[1]))
    case "make" where arguments.count == 5:
      let payloads = try payloads(arguments[2], arguments[3], arguments[4])
      try payloads.write()
      try Job(.cold, payloads).makeDatabase(arguments[1], try type(arguments[1]))
    default:
      return false
    }
    return true
  }

  private func check(_ counts: Counts, _ job: Job, _ name: String) throws {
    let expected = job.scenario.expected(job.payloads)
    guard counts == expected else {
      throw MeasuringError("\(name) found \(counts), not \(expected).")
    }
  }

  private func print(_ value: some Encodable) throws {
    Swift.print(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
  }

  private func job(_ arguments: [String]) throws -> Job {
    guard let scenario = Scenario(rawValue: arguments[3]) else {
      throw MeasuringError("There is no scenario \(arguments[3]).")
    }
    return Job(scenario, try payloads(arguments[2], arguments[4], arguments[5]))
  }

  private func type(_ name: String) throws -> any Contender.Type {
    guard let type = contender(name) else {
      throw MeasuringError("No contender is called \(name).")
    }
    return type
  }

  private func payloads(_ set: String, _ count: String, _ folder: String) throws -> Payloads {
    guard let set = DataSet(rawValue: set), let count = Int(count) else {
      throw MeasuringError("There is no data set \(set) of \(count).")
    }
    return Payloads(folder: URL(filePath: folder), set: set, count: count)
  }
}
