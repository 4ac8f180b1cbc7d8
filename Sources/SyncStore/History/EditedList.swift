package import SyncCore

/// The known state of a list over a link table that was edited here: links that were added or
/// removed, and the list before. Kept as one value among the other former values of an object:
///
/// ```
/// "1 5|2 3"   links to 2 and 3 were edited; before there were 1 and 5, in that order
/// "?|2 3"     the same, where no outbox asked for the list before
/// "1 5"       the members before, without an edit of single links
/// ```
package struct EditedList: Sendable, Equatable {
  /// The members that the server last said; nil when that is not known.
  package var before: [Int64]?

  /// The members whose links are edits; nil when it is not known which, so that all may be.
  package var edited: Set<Int64>?

  package init(before: [Int64]?, edited: Set<Int64>?) {
    self.before = before
    self.edited = edited
  }

  /// Reads a kept value; nil is a list of which nothing is known.
  package init(_ value: Value?) {
    guard case .string(let text)? = value else { return }
    let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
    if let first = parts.first, first != "?" { before = Self.rows(first) }
    if parts.count > 1 { edited = Set(Self.rows(parts[1])) }
  }

  package var value: Value {
    let text = before.map(Self.text) ?? "?"
    return .string(edited.map { "\(text)|\(Self.text($0.sorted()))" } ?? text)
  }

  /// Whether the link to a member is an edit.
  package func isEdited(_ member: Int64) -> Bool { edited?.contains(member) ?? true }

  /// The same list with later edits: the state before them follows from the earlier ones.
  package func joined(with later: EditedList) -> EditedList {
    EditedList(
      before: before ?? later.before,
      edited: edited.flatMap { edited in later.edited.map { edited.union($0) } })
  }

  private static func rows(_ text: Substring) -> [Int64] {
    text.split(separator: " ").compactMap { Int64($0) }
  }

  private static func text(_ rows: [Int64]) -> String {
    rows.map(String.init).joined(separator: " ")
  }
}

extension [String: Value] {
  /// Joins the values before a later edit of the same object to those before these: the first
  /// counts, and the edited links of a list add up.
  package mutating func join(_ later: [String: Value], of entity: EntityDescription) {
    let earlier = self
    merge(later) { first, _ in first }
    for relationship in entity.relationships where relationship.kind == .manyToMany {
      guard let first = earlier[relationship.name], let second = later[relationship.name] else {
        continue
      }
      self[relationship.name] = EditedList(first).joined(with: EditedList(second)).value
    }
  }

  /// Reads or changes the kept state of a list.
  package subscript(list relationship: RelationshipDescription) -> EditedList {
    get { EditedList(self[relationship.name]) }
    set { self[relationship.name] = newValue.value }
  }

  /// Takes the key from the former values of an object that was deleted after an edit of its key:
  /// the server knows it by that one.
  mutating func takeKey(in base: [String: Value], of entity: EntityDescription) {
    guard let name = entity.primaryKey?.name, let key = base[name], !key.isNull else { return }
    self[name] = key
  }
}
