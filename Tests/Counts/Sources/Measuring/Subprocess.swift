public import Foundation

/// Runs programs.
public enum Subprocess {
  /// The program that is running.
  public static var program: String { Bundle.main.executablePath ?? CommandLine.arguments[0] }

  /// Runs a program to its end, and returns its output.
  public static func output(
    of program: String, _ arguments: [String], error: FileHandle? = nil
  ) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    if let error { process.standardError = error }
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw MeasuringError("\(program) \(arguments.joined(separator: " ")) failed.")
    }
    return output
  }
}

public struct MeasuringError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// Prints a line at once, whatever the output is.
public func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

extension [Double] {
  /// The middle one; zero when there is none.
  public var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
