import Foundation
import Measuring
import SyncStack

/// The time of a payload that says the same again, in each form in which it may come, with
/// fingerprints and without.
///
/// ```
/// Trials repeat 100000 100
/// ```
struct RepeatTrial {
  let users: Int
  /// Pages and batches.
  let count: Int
  private let rounds = 4

  private enum Form: String, CaseIterable {
    case whole = "whole"
    case lists = "two lists"
    case batches = "a commit per batch"
    case pages = "a session of pages"
    case kept = "a kept session of pages"
  }

  func run() throws {
    for form in Form.allCases {
      let times = try [true, false].map { try time(form, usesFingerprints: $0) }
      say(
        String(
          format: "%@: %.1f ms (%.2f µs an item), without fingerprints %.1f", form.rawValue,
          times[0] * 1000, times[0] * 1e6 / Double(users), times[1] * 1000))
    }
  }

  /// The least seconds of the repetitions.
  private func time(_ form: Form, usesFingerprints: Bool) throws -> Double {
    let folder = try TrialFolder()
    let stack = try DataStack(
      model: TrialModel.users(), store: .sqlite(folder.file("repeat.sqlite")))
    defer { try? stack.close() }
    let pages = stride(from: 0, to: users, by: max(users / count, 1)).map {
      page($0..<min($0 + max(users / count, 1), users))
    }
    let whole = page(0..<users)
    let halves = [page(0..<users / 2), page(users / 2..<users)]
    func run(_ sync: Sync) throws {
      sync.usesFingerprints = usesFingerprints
      sync.start()
      _ = try sync.result?.get()
    }
    let clock = ContinuousClock()
    var least = Double.infinity
    for round in 0...rounds {
      let duration = try clock.measure {
        switch form {
        case .whole: try run(Sync(changes: whole, inEntityNamed: "User", dataStack: stack))
        case .lists:
          try run(Sync(lists: halves.map { .list($0, of: "User") }, dataStack: stack))
        case .batches:
          let sync = Sync(changes: whole, inEntityNamed: "User", dataStack: stack)
          sync.transaction = .perBatch(max(users / count, 1))
          try run(sync)
        case .pages, .kept:
          let session = try SyncSession(
            entity: "User", dataStack: stack, name: form == .kept ? "nightly" : nil)
          for page in pages { try run(session.page(page)) }
          try run(session.finishOperation())
        }
      }
      // The first stores them, and the second may fold its log back.
      if round > 1 { least = min(least, duration / .seconds(1)) }
    }
    return least
  }

  private func page(_ users: Range<Int>) -> Data {
    let items = users.map { user in
      let notes = (0..<2).map {
        #"{"id": \#(user * 2 + $0), "text": "a note of some words, as people write them \#($0)"}"#
      }
      return
        #"{"id": \#(user), "name": "user \#(user)", "email": "user\#(user)@example.com", "notes": [\#(notes.joined(separator: ", "))]}"#
    }
    return Data("[\(items.joined(separator: ",\n"))]".utf8)
  }
}
