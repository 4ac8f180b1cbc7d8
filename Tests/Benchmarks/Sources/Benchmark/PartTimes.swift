import Floor
import Foundation
import Measuring
import TestPayloads

/// Times of the floor's steps, to be held beside those of another program that does the same by
/// hand.
///
/// ```
/// Benchmark parts SET SCENARIO SIZE FOLDER       after `make floor SET SIZE FOLDER`
/// ```
struct PartTimes {
  let scenario: Scenario
  let payloads: Payloads

  /// Prints a line for each step that something went through.
  func run() throws {
    let path = payloads.folder.appending(
      path: "parts-\(ProcessInfo.processInfo.processIdentifier).sqlite"
    ).path
    if scenario != .cold {
      try FileManager.default.copyItem(atPath: payloads.database("floor").path, toPath: path)
    }
    defer {
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    let floor = try FloorContender(path: path, set: payloads.set)
    let parts = try floor.parts(try payloads.load(scenario.variant.rawValue))
    for part in parts where part.amount > 0 {
      print(
        "| \(part.name) | \(part.amount) | \(Table.number(part.seconds * 1e3, 2)) ms "
          + "| \(Table.number(part.seconds * 1e9 / Double(part.amount), 1)) ns each |")
    }
    try floor.close()
  }
}
