import Foundation
import Measuring
import Subject
import SyncStack

/// Times of syncs that touch little of a large table: they must not grow with the table.
///
/// ```
/// Benchmark scopes SIZE FOLDER       after `make syncstack users SIZE FOLDER`
/// ```
struct ScopeTimes {
  private let stack: DataStack
  private let url: URL
  private let size: Int

  init(_ payloads: Payloads) throws {
    size = payloads.count
    url = payloads.folder.appending(
      path: "scopes-\(ProcessInfo.processInfo.processIdentifier).sqlite")
    try FileManager.default.copyItem(at: payloads.database("syncstack"), to: url)
    stack = try SyncStackContender.stack(path: url.path, set: .users)
  }

  /// The time of a kind of sync.
  struct Time {
    let name: String
    let milliseconds: Double
  }

  /// The time of each kind of sync beside so many users.
  struct Table {
    let size: Int
    let times: [Time]

    init(_ folder: URL, _ size: Int) throws {
      self.size = size
      times = try ScopeTimes(Payloads(folder: folder, set: .users, count: size)).measure()
    }

    /// As Markdown.
    var text: String {
      let rows = times.map { "| \($0.name) | \(Benchmark.Table.number($0.milliseconds, 3)) |" }
      return """

        ### syncs into a table of \(size) users

        | sync | ms |
        |---|---:|
        \(rows.joined(separator: "\n"))

        """
    }
  }

  /// Times each kind of sync and removes the file; to be called once.
  func measure() throws -> [Time] {
    defer { remove() }
    return [try oneChanged(), try oneNew(), try childrenOfOneParent(), try tenOfAPredicate()]
  }

  private func remove() {
    try? stack.close()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }

  private func oneChanged() throws -> Time {
    try time("one changed object") { round in
      sync("[\(user(round, name: "changed \(round)"))]") { $0.operations = [.insert, .update] }
    }
  }

  private func oneNew() throws -> Time {
    try time("one new object") { round in
      sync("[\(user(size * 10 + round, name: "new"))]") { $0.operations = [.insert, .update] }
    }
  }

  private func childrenOfOneParent() throws -> Time {
    try time("children of one parent") { round in
      let context = stack.newBackgroundContext()
      let parent = try context.performAndWait {
        try context.fetch(Fetch<ManagedObject>(entityNamed: "User", Filter("id == %@", round + 1)))
          .first?.objectID
      }
      let notes = (0..<3).map { #"{"id":\#(size * 100 + round * 3 + $0),"text":"n"}"# }
      let sync = sync("[\(notes.joined(separator: ","))]", "Note")
      sync.parent = parent
      return sync
    }
  }

  private func tenOfAPredicate() throws -> Time {
    try time("ten objects of a predicate") { round in
      let ids = (0..<10).map { round * 10 + $0 + 1 }
      return sync("[\(ids.map { user($0, name: "p\(round)") }.joined(separator: ","))]") {
        $0.filter = Filter("id >= %@ AND id <= %@", ids[0], ids[9])
      }
    }
  }

  private func user(_ id: Int, name: String) -> String {
    #"{"id":\#(id),"name":"\#(name)","city":"x"}"#
  }

  private func sync(
    _ json: String, _ entity: String = "User", _ change: (Sync) -> Void = { _ in }
  ) -> Sync {
    let sync = Sync(.data(Data(json.utf8)), inEntityNamed: entity, dataStack: stack)
    change(sync)
    return sync
  }

  private func time(_ name: String, _ make: (Int) throws -> Sync) throws -> Time {
    var times: [Double] = []
    for round in 0..<25 {
      let sync = try make(round)
      let start = ContinuousClock.now
      stack.syncQueue.addOperations([sync], waitUntilFinished: true)
      times.append(start.duration(to: .now) / .milliseconds(1))
      _ = try sync.result?.get()
    }
    return Time(name: name, milliseconds: times.dropFirst(5).map { $0 }.median)
  }
}

/// Checks that syncs of one object, of one parent's children and of a predicate do not take longer
/// because the table is larger.
struct ScopeCheck {
  private let tables: [ScopeTimes.Table]

  init(_ tables: [ScopeTimes.Table]) { self.tables = tables }

  /// How much longer a sync may take in the largest table than in the smallest. It touches the
  /// same, but more of it is not in a cache of SQLite's or of the processor.
  private static let limit = 2.0

  /// Prints the limits that are kept and exceeded; says nothing when users of one size alone were
  /// measured.
  ///
  /// - Returns: False when something was exceeded.
  func check() -> Bool {
    guard let small = tables.min(by: { $0.size < $1.size }),
      let large = tables.max(by: { $0.size < $1.size }), small.size < large.size
    else { return true }
    var isKept = true
    for (before, after) in zip(small.times, large.times) {
      let ratio = after.milliseconds / before.milliseconds
      let isMet = ratio <= ScopeCheck.limit
      if !isMet { isKept = false }
      print(
        "\(isMet ? "kept    " : "EXCEEDED") \(after.name), \(small.size) and \(large.size) in the table: "
          + "\(Table.number(before.milliseconds, 3)) and \(Table.number(after.milliseconds, 3)) ms, "
          + "\(Table.number(ratio, 2)), at most \(Table.number(ScopeCheck.limit, 2))")
    }
    return isKept
  }
}
