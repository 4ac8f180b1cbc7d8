import SyncCore
import SyncStore

/// The claims of a payload or a session so far, as later parts of it and the deletions at its end
/// need them: objects that were mentioned, rows nested below an owner, members that a list
/// omitted, and objects that an item said are gone.
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

  /// The list that is worked off, of several.
  private(set) var list = 0
  /// The list under whose number the members of a list's parent are claimed, where several lists
  /// have one parent: they say together which members it has.
  var listsOfParents: [Int: Int] = [:]
  var parentList: Int { listsOfParents[list] ?? list }

  /// Counts and flags of that list: as of now.
  var state = State()
  /// Those of the other lists, as they were when the last one of them was left.
  private var others: [Int: State] = [:]
  private var committed: (list: Int, state: State, others: [Int: State]) = (0, State(), [:])

  init() {}

  /// Continues after earlier claims, with the first list.
  ///
  /// - Parameter states: The counts of the lists, by their numbers.
  init(_ before: Content, _ states: [Int: State]) {
    self.before = before
    others = states
    state = others.removeValue(forKey: 0) ?? State()
    committed = (0, state, others)
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

  /// Whether nested lists speak of all objects of a group of some entity.
  var hasNested: Bool {
    [before, new].contains { $0.sets.keys.contains(where: ClaimedSet.isNested) }
  }

  func isMentioned(_ row: Int64, _ entity: EntityDescription) -> Bool {
    contains(row, .mentioned(entity.rootIndex))
  }

  /// Whether an earlier part of the payload nested the object below some owner.
  func isListed(_ row: Int64, under relationship: RelationshipDescription) -> Bool {
    contains(row, .listed(Relationship(relationship)))
  }

  func isParentMember(_ row: Int64) -> Bool { contains(row, .parentMembers(parentList)) }

  func isSurplus(_ row: Int64, _ entity: EntityDescription) -> Bool {
    contains(row, .surplus(entity.rootIndex))
  }

  /// The objects in scope before anything was written, ascending; nil is every object of the
  /// entity.
  var rootScope: [Int64]? {
    state.hasScope ? self[.scope(list)]?.rows ?? [] : nil
  }

  /// The members of a given parent in the order of the payload.
  var parentOrder: [Int64] {
    (before.parentOrder[parentList] ?? []) + (new.parentOrder[parentList] ?? [])
  }

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
    if let rows { new.sets[ClaimedSet.scope(list).number] = RowSet(rows) }
  }

  /// Notes an object that the payload refers to by its key.
  func mention(_ row: Int64, _ entity: EntityDescription) {
    insert(row, .mentioned(entity.rootIndex))
  }

  /// Notes a member that its owner's list omits.
  func omit(_ member: UnlistedMember) {
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

  // MARK: - Objects that are gone

  /// Whether any item said that its object is gone.
  var hasGone: Bool { !before.gone.isEmpty || !new.gone.isEmpty }

  /// Whether the latest item about an object says that it is gone.
  func isGone(_ row: Int64, _ entity: EntityDescription) -> Bool {
    let object = GoneObject(row: row, root: entity.rootIndex)
    return new.gone.contains(object)
      || before.gone.contains(object) && !new.broughtBack.contains(object)
  }

  /// The objects that items say are gone, by the root entity, ascending.
  var gone: [(root: Int, rows: [Int64])] {
    let all = before.gone.subtracting(new.broughtBack).union(new.gone)
    return Dictionary(grouping: all, by: \.root).inKeyOrder
      .map { ($0.key, $0.value.map(\.row).sorted()) }
  }

  /// Notes that an item says that its object is gone.
  func giveUp(_ row: Int64, _ entity: EntityDescription) {
    new.gone.insert(GoneObject(row: row, root: entity.rootIndex))
  }

  /// Notes that an item has brought an object again.
  func bringBack(_ row: Int64, _ entity: EntityDescription) {
    let object = GoneObject(row: row, root: entity.rootIndex)
    if new.gone.remove(object) != nil || before.gone.contains(object) {
      new.broughtBack.insert(object)
    }
  }

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

  /// The counts of all lists, by their numbers.
  var states: [Int: State] {
    var all = others.mapValues {
      var other = $0
      other.share(state)
      return other
    }
    all[list] = state
    return all
  }

  /// Whether there was any page or part of any list.
  var hasBegun: Bool { state.hasBegun || others.values.contains(where: \.hasBegun) }

  /// Goes on with another list: the counts, the scope and the members of a given parent are those
  /// of that one. Everything else the lists have in common.
  func select(_ list: Int) {
    guard list != self.list else { return }
    var next = others.removeValue(forKey: list) ?? State()
    next.share(state)
    others[self.list] = state
    state = next
    self.list = list
    seenKeys = [:]
  }

  // MARK: - Parts

  /// The claims since the last commit, to come back to with ``restore(_:)``.
  var mark: (Content, State) { (new, state) }

  func restore(_ mark: (Content, State)) { (new, state) = mark }

  /// Throws away the claims since the last commit.
  func rollBack() {
    new = Content()
    (list, state, others) = committed
  }

  /// Makes the claims since the last commit lasting.
  ///
  /// - Complexity: O(*n*) in the claims since the last time.
  func commit() {
    for (set, rows) in new.sets { before.sets[set, default: RowSet()].formUnion(rows) }
    for member in new.relisted { before.unlisted[member] = nil }
    before.unlisted.merge(new.unlisted) { $1 }
    before.gone.subtract(new.broughtBack)
    before.gone.formUnion(new.gone)
    for (list, rows) in new.parentOrder { before.parentOrder[list, default: []] += rows }
    for place in new.answered { before.references[place] = nil }
    before.references.merge(new.references) { $0 + $1 }
    new = Content()
    committed = (list, state, others)
  }
}

@available(*, unavailable, message: "Claims are confined to their sync.")
extension Claims: Sendable {}
