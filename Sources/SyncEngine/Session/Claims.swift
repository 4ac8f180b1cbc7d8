import SyncCore
import SyncStore

/// The claims of a payload or a session so far, as later parts of it and the deletions at its end
/// need them: objects that were mentioned, rows nested below an owner, and members that a list
/// omitted.
///
/// ```
/// before ── committed by parts or pages before, in memory and perhaps in the store (``ClaimsStore``)
/// new    ── said since, and thrown away when the part fails
/// ```
///
/// Parts are applied in order and know nothing of those to come: rows that an earlier one stored
/// are history. It holds bits, not objects, and outlives the batches. Confined to its sync.
final class Claims {
  @exclusivity(unchecked) private(set) var before = Content()
  @exclusivity(unchecked) var new = Content()

  /// Keys put into tables that were empty in the beginning, by plan node; of one sync, never kept.
  var seenKeys: [Int: SeenKeys] = [:]

  /// Counts and flags: as of now.
  var state = State()
  private var committedState = State()

  init() {}

  /// Continues after earlier claims.
  init(_ before: Content, _ state: State) {
    self.before = before
    self.state = state
    committedState = state
  }

  /// The facts that stay small, however large the payload is.
  struct State: Codable, Equatable {
    /// The first row that the sync gave to an object of the root entity.
    var firstNewRow = Int64.max
    /// Members that the lists of the payload had before: the scope of nested deletion.
    var memberCount = 0
    /// Parts of the payload that were worked off.
    var partCount = 0
    /// Pages that said nothing: they count as stored, and as no word about which objects there are.
    var silentPageCount = 0
    /// Items at the top of the payload, and those among them that can be used.
    var itemCount = 0
    var usableItemCount = 0
    /// Whether a key at the top could not be read, so that its object is unknown.
    var isRootSuspended = false
    /// Whether an item at the top nests others of its entity, so that the payload is a tree.
    var nestsChildren = false
    /// Whether only some objects are in scope; false is every object of the entity.
    var hasScope = false
    /// Whether items said that their objects are deleted, so that not everything that was mentioned
    /// is there.
    var hasTombstones = false
    /// References so far, those that found their object among them.
    var referenceCount: Int64 = 0

    /// Whether there was any page or part.
    var hasBegun: Bool { partCount > 0 || silentPageCount > 0 }

    /// Adds another list of the same objects: together the lists say which there are.
    mutating func add(_ other: State) {
      firstNewRow = min(firstNewRow, other.firstNewRow)
      itemCount += other.itemCount
      usableItemCount += other.usableItemCount
      isRootSuspended = isRootSuspended || other.isRootSuspended
    }

    /// Takes over the sum that ``add(_:)`` made.
    mutating func take(sum: State) {
      firstNewRow = sum.firstNewRow
      itemCount = sum.itemCount
      usableItemCount = sum.usableItemCount
      isRootSuspended = sum.isRootSuspended
    }
  }

  /// The claims of some parts.
  struct Content {
    /// By the numbers of ``ClaimedSet``.
    var sets: [Int: RowSet] = [:]
    /// Members that their owner's list does not mention, by the member.
    var unlisted: [Member: UnlistedMember] = [:]
    /// Members that were listed after a list had left them out.
    var relisted: Set<Member> = []
    /// The members of a given parent in the order of the payload, where its list is ordered and
    /// nothing else orders it.
    var parentOrder: [Int64] = []
    /// Keys that no object had, by the place they stand in.
    var references: [UnresolvedReference.Place: [UnresolvedReference]] = [:]
    /// Places that were given again.
    var answered: Set<UnresolvedReference.Place> = []
  }

  /// An object as a member of the lists that a column of it leads to.
  struct Member: Hashable {
    let row: Int64
    let column: Relationship
  }

  struct UnlistedMember {
    let row: Int64
    let entity: EntityDescription
    /// The column that leads to the owner.
    let slot: Int
    let owner: Int64
  }

  // MARK: - Questions

  private func contains(_ row: Int64, _ set: ClaimedSet) -> Bool {
    before.sets[set.number]?.contains(row) == true || new.sets[set.number]?.contains(row) == true
  }

  /// A set, for many questions.
  subscript(set: ClaimedSet) -> RowSet? {
    guard let rows = before.sets[set.number], !rows.isEmpty else { return new.sets[set.number] }
    guard let added = new.sets[set.number] else { return rows }
    var result = rows
    result.formUnion(added)
    return result
  }

  func isMentioned(_ row: Int64, _ entity: EntityDescription) -> Bool {
    contains(row, .mentioned(entity.rootIndex))
  }

  /// Whether an earlier part of the payload nested the object below some owner.
  func isListed(_ row: Int64, under relationship: RelationshipDescription) -> Bool {
    contains(row, .listed(Relationship(relationship)))
  }

  func isParentMember(_ row: Int64) -> Bool { contains(row, .parentMembers) }

  func isSurplus(_ row: Int64, _ entity: EntityDescription) -> Bool {
    contains(row, .surplus(entity.rootIndex))
  }

  /// The objects in scope before anything was written, ascending; nil is every object of the
  /// entity.
  var rootScope: [Int64]? {
    state.hasScope ? self[.scope]?.rows ?? [] : nil
  }

  /// The members of a given parent in the order of the payload.
  var parentOrder: [Int64] { before.parentOrder + new.parentOrder }

  /// Members that their owners' lists do not mention, in the order of their rows.
  var unlisted: [UnlistedMember] {
    var all = before.unlisted.filter { !new.relisted.contains($0.key) }
    all.merge(new.unlisted) { $1 }
    return all.values.sorted {
      ($0.entity.index, $0.slot, $0.row) < ($1.entity.index, $1.slot, $1.row)
    }
  }

  // MARK: - Collecting

  func insert(_ row: Int64, _ set: ClaimedSet) {
    new.sets[set.number, default: RowSet()].insert(row)
  }

  /// Changes a set in place.
  func update(_ set: ClaimedSet, _ body: (inout RowSet) throws -> Void) rethrows {
    var rows = new.sets.removeValue(forKey: set.number) ?? RowSet()
    defer { new.sets[set.number] = rows }
    try body(&rows)
  }

  func setScope(_ rows: [Int64]?) {
    state.hasScope = rows != nil
    if let rows { new.sets[ClaimedSet.scope.number] = RowSet(rows) }
  }

  /// Notes an object that the payload refers to by its key.
  func mention(_ row: Int64, _ entity: EntityDescription) {
    insert(row, .mentioned(entity.rootIndex))
  }

  /// Notes a member that its owner's list omits.
  func leaveOut(_ member: UnlistedMember) {
    guard let column = member.entity.properties[member.slot].relationship else { return }
    new.unlisted[Member(row: member.row, column: Relationship(column))] = member
  }

  /// Notes that a list has a member: it is not omitted any more, even if an earlier list omitted
  /// it.
  func relist(_ member: Member) {
    if new.unlisted.removeValue(forKey: member) != nil || before.unlisted[member] != nil {
      new.relisted.insert(member)
    }
  }

  /// Whether any list omitted a member.
  var hasUnlisted: Bool { !before.unlisted.isEmpty || !new.unlisted.isEmpty }

  // MARK: - Keys that no object had

  var hasUnresolved: Bool { !before.references.isEmpty || !new.references.isEmpty }

  /// The keys that no object had, in payload order.
  var unresolved: [UnresolvedReference] {
    let waiting = before.references.lazy.filter { [new] in !new.answered.contains($0.key) }
    return (waiting.flatMap(\.value) + new.references.values.joined())
      .sorted(on: \.number)
  }

  /// Whether a key of a place waits for its object.
  func isWaiting(_ place: UnresolvedReference.Place) -> Bool {
    new.references[place] != nil
      || before.references[place] != nil && !new.answered.contains(place)
  }

  func append(_ reference: UnresolvedReference) {
    var reference = reference
    reference.number = state.referenceCount
    state.referenceCount += 1
    new.references[reference.place, default: []].append(reference)
  }

  /// Forgets the references that a place waits for: it was given again.
  func drop(_ place: UnresolvedReference.Place) {
    new.references[place] = nil
    if before.references[place] != nil { new.answered.insert(place) }
  }

  // MARK: - Several lists

  /// The claims of one list of a sync that has several, while another list is worked off.
  struct OfList {
    fileprivate var state = State()
    fileprivate var sets: [Int: RowSet] = [:]
    fileprivate var parentOrder: [Int64] = []
  }

  /// Makes the claims those of another list: its counts, its scope and the members of its parent in
  /// the place of those that are here, which the other list keeps meanwhile. Everything else the
  /// lists of a sync have in common.
  func exchange(with list: inout OfList) {
    var other = OfList(state: state, parentOrder: new.parentOrder)
    for set in [ClaimedSet.scope, .parentMembers] {
      other.sets[set.number] = new.sets.removeValue(forKey: set.number)
    }
    new.sets.merge(list.sets) { $1 }
    new.parentOrder = list.parentOrder
    list.state.memberCount = state.memberCount
    list.state.hasTombstones = state.hasTombstones
    list.state.referenceCount = state.referenceCount
    state = list.state
    seenKeys = [:]
    list = other
  }

  // MARK: - Parts

  /// The claims since the last commit, to come back to with ``restore(_:)``.
  var mark: (Content, State) { (new, state) }

  func restore(_ mark: (Content, State)) { (new, state) = mark }

  /// Throws away the claims since the last commit.
  func rollBack() { (new, state) = (Content(), committedState) }

  /// Makes the claims since the last commit lasting.
  ///
  /// - Complexity: O(*n*) in the claims since the last time.
  func commit() {
    for (set, rows) in new.sets { before.sets[set, default: RowSet()].formUnion(rows) }
    for member in new.relisted { before.unlisted[member] = nil }
    before.unlisted.merge(new.unlisted) { $1 }
    before.parentOrder += new.parentOrder
    for place in new.answered { before.references[place] = nil }
    before.references.merge(new.references) { $0 + $1 }
    new = Content()
    committedState = state
  }
}

@available(*, unavailable, message: "Claims are confined to their sync.")
extension Claims: Sendable {}
