import SyncCore

/// The stamps that fields of a record have of their own.
///
/// Kept as text, field and stamp in turns, by name: `text 179…-abcdefgh title 179…-abcdefgh`; a
/// base stands behind the name with an `@`, which no name has.
package struct RemoteStamps: Sendable, Equatable {
  /// The stamps that count, by field; empty for a field that was never given.
  private var fields: [String: String] = [:]

  /// The server's stamps when fields began to wait, by field: a stamp that is neither this nor the
  /// one that counts is news.
  private var bases: [String: String] = [:]

  private static let baseMark = "@"

  package init() {}

  package var isEmpty: Bool { fields.isEmpty && bases.isEmpty }

  /// The stamp that counts for a field; nil when it has that of the record.
  package subscript(field: String) -> String? {
    get { fields[field] }
    set { fields[field] = newValue }
  }

  package subscript(baseOf field: String) -> String? {
    get { bases[field] }
    set { bases[field] = newValue }
  }

  /// The latest of them that counts, or one that is later.
  package func latest(_ other: String) -> String { fields.values.reduce(other, max) }

  /// Those of fields that were never given.
  package var open: RemoteStamps {
    var result = RemoteStamps()
    result.fields = fields.filter { $0.value.isEmpty }
    return result
  }

  /// The same with other stamps in the place of some.
  package func mapped(_ change: (String) -> String) -> RemoteStamps {
    var result = RemoteStamps()
    result.fields = fields.mapValues(change)
    result.bases = bases.mapValues(change)
    return result
  }

  /// Forgets the bases of fields that do not wait.
  package mutating func keepBases(_ isWaiting: (_ field: String) -> Bool) {
    if !bases.isEmpty { bases = bases.filter { isWaiting($0.key) } }
  }

  /// Gives fields other names.
  package mutating func rename(_ names: [String: String]) {
    func renamed(_ stamps: [String: String]) -> [String: String] {
      Dictionary(stamps.map { (names[$0] ?? $0, $1) }) { first, _ in first }
    }
    (fields, bases) = (renamed(fields), renamed(bases))
  }

  // MARK: - Stored form

  init(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      if words[index].hasSuffix(Self.baseMark) {
        bases[String(words[index].dropLast())] = words[index + 1]
      } else {
        fields[words[index]] = words[index + 1]
      }
    }
  }

  /// Nil when there are none.
  var text: String? {
    if isEmpty { return nil }
    let all = fields.map { ($0, $1) } + bases.map { ($0 + Self.baseMark, $1) }
    return all.sortedByText(\.0).map { "\($0) \($1)" }.joined(separator: " ")
  }
}
