extension FloorContender {
  /// One step of a sync.
  public struct Part: Sendable {
    public let name: String
    /// Bytes, keys or rows that went through.
    public let amount: Int
    public let seconds: Double
  }

  /// Does a sync step by step, without links, and says how long each step took. Reads every row
  /// once more besides, without looking at it.
  public func parts(_ payload: UnsafeRawBufferPointer) throws -> [Part] {
    var parts: [Part] = []
    func time<Result>(
      _ name: String, _ amount: Int, _ body: () throws -> Result
    ) rethrows -> Result {
      let start = ContinuousClock.now
      let result = try body()
      let seconds = start.duration(to: .now) / .seconds(1)
      parts.append(Part(name: name, amount: amount, seconds: seconds))
      return result
    }
    let table = FloorContender.table(of: set)
    let escapes = EscapeArena()
    time("parse", payload.count) {
      var scanner = FloorScanner(payload, escapes: escapes)
      scanner.readObjects(into: table)
    }
    try database.run("BEGIN IMMEDIATE")
    for table in [table] + table.children {
      let name = table.name
      let count = table.rows.count
      try time("read \(name)", count) {
        let select = try select(table)
        while try select.step() {}
      }
      let order = time("sort \(name)", count) { table.rows.sortedByKey() }
      let changes = try time("compare \(name)", count) { try compare(order, with: table) }
      try time("delete \(name)", changes.deletes.count) {
        try delete(changes.deletes, from: table)
      }
      try time("update \(name)", changes.updates.count) {
        try update(changes.updates, in: table)
      }
      try time("insert \(name)", changes.inserts.count) {
        try insert(changes.inserts, into: table)
      }
    }
    try time("commit", 1) { try database.run("COMMIT") }
    return parts
  }
}
