import SyncCore

/// Whose transactions of a history are meant. A transaction has the author of the context or sync
/// that made it, or none.
public enum HistoryAuthors: Sendable, Hashable {
  /// All, with and without an author.
  case all

  /// Those of the authors of these names.
  case only(Set<String>)

  /// All but those of the authors of these names; those without an author belong to it.
  case except(Set<String>)

  /// Whether a transaction of that author is meant.
  package func include(_ author: String?) -> Bool {
    switch self {
    case .all: true
    case .only(let names): author.map(names.contains) ?? false
    case .except(let names): author.map { !names.contains($0) } ?? true
    }
  }

  /// The names, as SQLite reads lists; nil when they do not matter.
  var names: String? {
    switch self {
    case .all: nil
    case .only(let names), .except(let names): JSONList.names(names)
    }
  }

  /// The condition, behind others.
  func condition(parameter: Int) -> String {
    switch self {
    case .all: ""
    case .only: " AND author IN (SELECT value FROM json_each(?\(parameter)))"
    case .except:
      " AND (author IS NULL OR author NOT IN (SELECT value FROM json_each(?\(parameter))))"
    }
  }
}
