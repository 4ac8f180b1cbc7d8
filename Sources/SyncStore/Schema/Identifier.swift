/// A name in the database: as people read it, and quoted for SQL.
package struct Identifier: Sendable, Hashable, CustomStringConvertible {
  package let name: String

  /// The name in double quotes, ready for SQL text.
  package let quoted: String

  package init(_ name: String) {
    self.name = name
    quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  package var description: String { name }
}

/// Gives out names that differ. SQLite compares names without regard to ASCII case
/// (https://www.sqlite.org/lang_keywords.html), so two that differ only in case collide.
struct NameSpace {
  private var taken: Set<String>

  init(reserved: [String] = []) {
    taken = Set(reserved.map { $0.lowercased() })
  }

  /// The first proposal that is free; when none is, the last one with a number.
  mutating func take(_ proposals: String...) -> Identifier {
    for proposal in proposals where isUsable(proposal) {
      taken.insert(proposal.lowercased())
      return Identifier(proposal)
    }
    let base = proposals.last.map { $0.isEmpty ? "_" : $0 } ?? "_"
    let stem = base.lowercased().hasPrefix("sqlite_") ? "_" + base : base
    var number = 1
    var name = stem
    while !isUsable(name) {
      number += 1
      name = "\(stem)_\(number)"
    }
    taken.insert(name.lowercased())
    return Identifier(name)
  }

  private func isUsable(_ name: String) -> Bool {
    let lower = name.lowercased()
    return !name.isEmpty && !lower.hasPrefix("sqlite_") && !lower.hasPrefix("_syncstack")
      && !taken.contains(lower)
  }
}
