import Foundation

/// Counts the instructions of a whole process: by `perf` where the machine lets it, else by
/// valgrind where it is installed.
public struct InstructionCounter {
  private let perf = InstructionCounter.find("perf")
  private let valgrind = InstructionCounter.find("valgrind")

  public init() {}

  /// Nil when neither can count.
  public func count(_ program: String, _ arguments: [String]) throws -> Int? {
    if let perf,
      let text = try report(
        perf, ["stat", "-x", ",", "-e", "instructions:u", program] + arguments),
      let line = text.split(separator: "\n").first(where: { $0.contains("instructions") }),
      let count = Int(line.prefix { $0 != "," })
    {
      return count
    }
    if let valgrind,
      let text = try report(
        valgrind,
        ["--tool=callgrind", "--callgrind-out-file=/dev/null", program] + arguments),
      let line = text.split(separator: "\n").first(where: { $0.contains("Collected") }),
      let count = line.split(separator: " ").last.flatMap({ Int($0) })
    {
      return count
    }
    return nil
  }

  /// The output of a tool on standard error; nil when it fails.
  private func report(_ tool: String, _ arguments: [String]) throws -> String? {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).txt")
    _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: url) }
    let handle = try FileHandle(forWritingTo: url)
    guard (try? Subprocess.output(of: tool, arguments, error: handle)) != nil else { return nil }
    return try String(contentsOf: url, encoding: .utf8)
  }

  /// Where a program is installed.
  public static func find(_ name: String) -> String? {
    ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
