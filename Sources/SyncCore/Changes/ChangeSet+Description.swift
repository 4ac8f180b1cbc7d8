extension ChangeSet: CustomStringConvertible {
  /// A line for people, as in `Commit 7 by feed: User 2 inserted, 1 updated; Note 3 deleted`.
  public var description: String {
    let author = author.map { " by \($0)" } ?? ""
    let changes = entities.map(\.description).joined(separator: "; ")
    let nothing = isUnknown ? "another process, without a history" : "nothing changed"
    return "Commit \(generation)\(author): \(entities.isEmpty ? nothing : changes)"
  }
}

extension ChangeSet.EntityChanges: CustomStringConvertible {
  /// A few words for people, as in `User 2 inserted, 1 updated`.
  package var description: String {
    let counts = [
      (inserted.count, "inserted"), (updated.count, "updated"), (deleted.count, "deleted"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return "\(entity.name) \(words.isEmpty ? "unchanged" : words.joined(separator: ", "))"
  }
}
