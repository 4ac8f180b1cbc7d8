import Foundation

/// ```
/// Trials cancel [USERS] [ROUNDS] [CASE]     time from cancel() to the end of the operation, by phase
/// ```
@main
struct Main {
  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws {
    let numbers = arguments.dropFirst().map { Int($0) }
    func number(_ index: Int, _ fallback: Int) -> Int {
      index < numbers.count ? numbers[index] ?? fallback : fallback
    }
    switch arguments.first {
    case "cancel":
      try CancelTrial(users: number(0, 100_000), rounds: number(1, 8))
        .run(arguments.count > 3 ? arguments[3] : nil)
    default:
      throw TrialError("usage: Trials cancel [USERS] [ROUNDS] [CASE]")
    }
  }
}

struct TrialError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Prints a line at once, whatever the output is.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
