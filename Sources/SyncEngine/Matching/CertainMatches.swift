import SyncCore

/// Decides the occurrences of a wave whose object is beyond doubt: no other mention in the payload
/// has the key, and no stored row does, or one that is where the payload puts it.
///
/// Nearly all are, when little has changed and when everything is new. Facts that are the same for
/// all of them are asked once, in the beginning. Valid for one wave of one batch, while no more
/// rows are read.
struct CertainMatches {
  private let batches: [MatchedBatch]
  private let matches: PlainArray<Match>
  private let rows: PlainArray<Int64>
  private let holders: PlainArray<Int32>
  private let references: [PlainArray<Int64>]
  /// Rows from here on are new; 0 where every occurrence has to be looked at on its own.
  private let limit: Int64
  private let rootFlags: Match.Flags
  private let nestedFlags: Match.Flags
  /// Whether a key that is not stored means a new object.
  private let knowsNew: Bool
  private let newRootFlags: Match.Flags
  private let newNestedFlags: Match.Flags

  /// The list that the latest occurrence stood in, its owners, and the column that leads to them.
  private var list = ListPlace(batch: -1, rule: -1)
  private var owners: PlainArray<Match>
  private var column: PlainArray<Int64>?

  init(_ batch: MatchedBatch, _ matcher: Matcher) {
    batches = matcher.batches
    matches = batch.matches
    rows = batch.stored.rows
    holders = batch.stored.occurrences
    references = batch.stored.references
    owners = batch.matches
    let isCertain = batch.contested.isEmpty && batch.staged.groups.isEmpty
    limit = isCertain ? matcher.matches.firstNewRows[batch.entity.rootIndex] ?? .max : 0
    let decided: Match.Flags = [.reached, .current, .decided]
    let operations = matcher.operations
    rootFlags = operations.contains(.update) ? decided.union(.active) : decided
    nestedFlags = operations.contains(.updateRelationships) ? decided.union(.active) : decided
    // Objects that were deleted here may be meant, too.
    knowsNew = isCertain && matcher.edits == nil
    let made = decided.union([.inserted, .active])
    newRootFlags = operations.isDisjoint(with: [.insert, .alwaysInsert]) ? decided : made
    newNestedFlags = operations.contains(.insertRelationships) ? made : decided
  }

  /// - Returns: False when the occurrence takes a closer look; then nothing was done.
  @inline(__always)
  mutating func decide(_ occurrence: Int32) -> Bool {
    var match = matches[occurrence]
    guard match.traits.isDisjoint(with: CertainMatches.doubts) else { return false }
    guard match.stored >= 0 else {
      guard knowsNew else { return false }
      match.row = 0
      match.flags.formUnion(match.traits.contains(.root) ? newRootFlags : newNestedFlags)
      matches[occurrence] = match
      return true
    }
    guard holders[match.stored] < 0 else { return false }
    let row = rows[match.stored]
    guard row < limit else { return false }
    if match.isOwned, !isOwnersChild(match) { return false }
    match.row = row
    match.flags.formUnion(match.traits.contains(.root) ? rootFlags : nestedFlags)
    matches[occurrence] = match
    holders[match.stored] = occurrence
    return true
  }

  private static let doubts: Occurrence.Traits = [
    .keyless, .shared, .rejected, .neverInserted, .neverUpdated,
  ]

  /// Whether the stored row belongs to the owner in whose list the occurrence stands.
  @inline(__always)
  private mutating func isOwnersChild(_ match: Match) -> Bool {
    if match.list != list { move(to: match) }
    let owner = owners[match.owner]
    guard !owner.flags.contains(.folded), owner.row > 0, let column else { return false }
    return column[Int(match.stored)] == owner.row
  }

  @inline(never)
  private mutating func move(to match: Match) {
    list = match.list
    owners = batches[list.batch].matches
    column = batches[list.batch].node.relationships[list.rule].memberColumn.map { references[$0] }
  }
}
