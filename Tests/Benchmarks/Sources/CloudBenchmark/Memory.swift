import Foundation
import Measuring
import SyncCloud
import SyncStack

/// How fast records go out and come in when the server costs nothing.
struct Throughput {
  let records: Int

  func run() async throws {
    try await withFolder { folder in
      let server = MemoryTransport(limits: CloudLimits(batch: 1000, page: 1000))
      let here = try Machine(folder, "here", server)
      try await here.fill(records)
      let push = try await measure { try await here.cloud.push() }
      let there = try Machine(folder, "there", server)
      let pull = try await measure { try await there.cloud.pull() }
      for (name, time) in [("push", push), ("pull", pull)] {
        say(
          "\(name) of \(records): \(rounded(time.elapsed)) s, \(rounded(time.processor)) s of processor time, "
            + "\(Int(Double(records) / time.elapsed)) records/s by the clock, "
            + "\(Int(Double(records) / time.processor)) by processor time")
      }
    }
  }
}

/// Whether the cost of a push follows the edits, not the store.
struct Delta {
  let objects: Int

  func run() async throws {
    var times: [Double] = []
    for count in [objects / 100, objects] {
      try await withFolder { folder in
        let server = MemoryTransport(limits: CloudLimits(batch: 1000, page: 1000))
        let here = try Machine(folder, "here", server)
        try await here.fill(count)
        try await here.cloud.sync()
        var rounds: [Double] = []
        for round in 1...15 {
          let context = here.stack.newBackgroundContext()
          try await context.perform {
            let notes = try context.fetch(Fetch<Note>("id <= 10"))
            for note in notes { note.title = "Edited \(round)" }
            try context.save()
          }
          let report = Report()
          rounds.append(
            try await measure { report.push = try await here.cloud.push() }.processor * 1000)
          guard report.push?.batches == 1, report.push?.sent == 10 else {
            throw MeasuringError("\(report.push as Any) is not one batch of ten records.")
          }
        }
        times.append(rounds.sorted()[rounds.count / 2])
        say(
          "10 edits among \(count): one batch of 10 records, \(rounded(times.last ?? 0, 2)) ms of processor time "
            + "(median of \(rounds.count))")
      }
    }
    say("ratio \(rounded(times[1] / times[0], 2))")
  }

  private final class Report {
    var push: PushReport?
  }
}

/// The cost of joining one more object where there are many.
struct Pairs {
  let objects: Int

  func run() async throws {
    for count in [objects / 100, objects] {
      try await withFolder { folder in
        let here = try Machine(
          folder, "here", MemoryTransport(limits: CloudLimits(batch: 1000, page: 1000)))
        try await here.fill(count, isTagged: true)
        try await here.cloud.sync()
        var rounds: [Double] = []
        for round in 1...9 {
          let json = #"[{"id":\#(count + round),"title":"new","tags":[{"id":1}]}]"#
          _ = try await here.stack.sync(
            Data(json.utf8), inEntityNamed: "Note",
            operations: [.insert, .update, .insertRelationships])
          rounds.append(try await measure { try await here.cloud.push() }.processor * 1000)
        }
        say(
          "one more among \(count) in one tag: \(rounded(rounds.sorted()[rounds.count / 2], 2)) ms of processor "
            + "time (median of \(rounds.count))")
      }
    }
  }
}
