extension FloorContender {
  /// Merges the sorted pairs of the payload with those stored. Notes whose links changed, but for
  /// rows that came or went.
  func reconcile(_ link: LinkRows, _ changes: Changes, _ changed: inout Set<Int64>) throws {
    RadixSort.sort(&link.pairs)
    let (added, removed) = try compare(link.pairs, link.name)
    try write(removed, "DELETE FROM \(link.name) WHERE source = ? AND target = ?")
    try write(added, "INSERT INTO \(link.name) VALUES (?, ?)")
    note(added, butFor: changes.inserts.map(\.key), in: &changed)
    note(removed, butFor: changes.deletes, in: &changed)
  }

  private func compare(
    _ pairs: [LinkPair], _ name: String
  ) throws -> (added: [LinkPair], removed: [LinkPair]) {
    let select = try database.statement(
      "SELECT source, target FROM \(name) ORDER BY source, target")
    var added: [LinkPair] = []
    var removed: [LinkPair] = []
    var position = 0
    while try select.step() {
      let stored = LinkPair(select.integer(0), select.integer(1))
      while position < pairs.count, pairs[position].key < stored.key {
        added.append(pairs[position])
        position += 1
      }
      if position < pairs.count, pairs[position] == stored {
        position += 1
      } else {
        removed.append(stored)
      }
    }
    added.append(contentsOf: pairs[position...])
    return (added, removed)
  }

  private func write(_ pairs: [LinkPair], _ sql: String) throws {
    guard !pairs.isEmpty else { return }
    let statement = try database.statement(sql)
    for pair in pairs {
      statement.bind(1, pair.source)
      statement.bind(2, pair.target)
      try statement.run()
    }
  }

  /// Notes the sources of sorted pairs that are not among sorted keys.
  private func note(_ pairs: [LinkPair], butFor keys: [Int64], in changed: inout Set<Int64>) {
    var position = 0
    for pair in pairs {
      while position < keys.count, keys[position] < pair.source { position += 1 }
      if position == keys.count || keys[position] != pair.source { changed.insert(pair.source) }
    }
  }
}
