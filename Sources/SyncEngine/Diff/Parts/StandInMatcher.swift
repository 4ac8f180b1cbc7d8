import SyncCore
import SyncStore

/// Finds the objects that stand-ins are: first what belongs to the object that an owner turns out to be; else the stored
/// object of the key that is in nobody's list of the payload, in the order in which stand-ins were made.
struct StandInMatcher {
  typealias Place = StandIns.Place

  private let claims: Claims
  private let model: ManagedObjectModel
  private let transaction: StoreTransaction
  private let control: SyncControl
  private let edits: UnsentEdits?
  private let origins: StandInOrigins
  private var objects: StandInSettlement.Objects = [:]
  private var families: [FamilyKey: StandInFamily] = [:]
  /// The stand-ins of objects, and what stands below them.
  private var standIns: [StandIns.Object: Int64] = [:]
  private var below: Set<Below> = []

  private struct Below: Hashable {
    let owner: Int64
    let family: FamilyKey
  }

  private struct FamilyKey: Hashable {
    let place: Place
    let key: [Value]
  }

  /// A stand-in with what it is to be found by.
  private struct Search {
    let standIn: StandIns.StandIn
    let root: Int
    let ownerRoot: Int
    let family: FamilyKey

    var object: StandIns.Object { .init(root: root, row: standIn.row) }
    var owner: StandIns.Object { .init(root: ownerRoot, row: standIn.owner) }
  }

  init(
    claims: Claims, model: ManagedObjectModel, transaction: StoreTransaction,
    control: SyncControl, edits: UnsentEdits?
  ) {
    self.edits = edits
    self.claims = claims
    self.model = model
    self.transaction = transaction
    self.control = control
    origins = StandInOrigins(claims: claims, model: model, transaction: transaction)
  }

  /// - Complexity: O(*n*) in the stand-ins and the stored objects of their keys.
  mutating func match() throws -> StandInSettlement.Objects {
    try matchReplaced()
    var searches: [Search] = []
    for place in claims.standIns.places { searches += try self.searches(in: place) }
    for search in searches where search.standIn.isBelow {
      below.insert(Below(owner: search.standIn.owner, family: search.family))
    }
    // What nobody else can be is known first.
    let counts = Dictionary(grouping: searches, by: \.family).mapValues(\.count)
    for search in searches
    where !search.standIn.isBelow && counts[search.family] == 1
      && families[search.family]?.rows.count == 1
    {
      matchFirst(search)
    }
    // Level by level, as objects of one part are found.
    let depths = depths(of: searches)
    searches.sort { left, right in
      (depths[left.object] ?? 0, left.standIn.order)
        < (depths[right.object] ?? 0, right.standIn.order)
    }
    for (step, search) in searches.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      if try !matchChild(search) { matchFirst(search) }
      noteChild(search)
    }
    return objects
  }

  /// Takes what came in the place of objects that others had seen, as far as it is still there.
  private mutating func matchReplaced() throws {
    let replaced = Dictionary(grouping: claims.standIns.replaced, by: \.key.root)
    for (root, pairs) in replaced.sorted(by: { $0.key < $1.key }) {
      var rows: Set<Int64> = []
      try transaction.scan(
        model.entities[root], .rows(Set(pairs.map(\.value)).sorted()), slots: []
      ) { rows.insert($0.row) }
      for (object, row) in pairs
      where rows.contains(row) && !isEdited(object.row, model.entities[root]) {
        objects[root, default: [:]][object.row] = row
        standIns[.init(root: root, row: row)] = object.row
      }
    }
  }

  /// Whether a stand-in was edited here and that was not sent yet: then it stays.
  private func isEdited(_ row: Int64, _ entity: EntityDescription) -> Bool {
    edits?.isProtected(row, of: entity) ?? false
  }

  /// How many stand-ins each of them stands below.
  private func depths(of searches: [Search]) -> [StandIns.Object: Int] {
    let owners = Dictionary(
      searches.filter(\.standIn.isBelow).map { ($0.object, $0.owner) }
    ) { first, _ in first }
    var depths: [StandIns.Object: Int] = [:]
    for object in owners.keys {
      var chain = [object]
      while let owner = chain.last.flatMap({ owners[$0] }), depths[owner] == nil,
        !chain.contains(owner)
      {
        chain.append(owner)
      }
      var depth = chain.last.flatMap { owners[$0] }.flatMap { depths[$0] } ?? -1
      for object in chain.reversed() {
        depth += 1
        depths[object] = depth
      }
    }
    return depths
  }

  /// Takes what belonged to the stored object that the owner is.
  private mutating func matchChild(_ search: Search) throws -> Bool {
    guard objects[search.root]?[search.standIn.row] == nil,
      let owner = objects[search.ownerRoot]?[search.standIn.owner],
      let row = search.family.key.isEmpty
        ? try origins.keylessRow(search.family.place.relationship, of: owner)
          ?? families[search.family]?.listed[owner]
        : families[search.family]?.takeChild(of: owner),
      case let object = objects[search.root]?[row] ?? row, object != search.standIn.row
    else { return false }
    note(object, search)
    return true
  }

  /// Several stand-ins may be one object: what the first of them has below it, the others have too.
  private mutating func noteChild(_ search: Search) {
    let owner = objects[search.ownerRoot]?[search.standIn.owner] ?? search.standIn.owner
    guard families[search.family]?.listed[owner] == nil else { return }
    families[search.family, default: StandInFamily()].listed[owner] =
      objects[search.root]?[search.standIn.row] ?? search.standIn.row
  }

  private mutating func note(_ object: Int64, _ search: Search) {
    objects[search.root, default: [:]][search.standIn.row] = object
    standIns[.init(root: search.root, row: object)] = search.standIn.row
  }

  private mutating func matchFirst(_ search: Search) {
    guard objects[search.root]?[search.standIn.row] == nil, !search.family.place.keyScopeIsOwner
    else { return }
    let (standIns, below) = (standIns, below)
    // What its owner lists after all stays there.
    let row = families[search.family]?.takeFirst { owner in
      standIns[.init(root: search.ownerRoot, row: owner)]
        .map { !below.contains(Below(owner: $0, family: search.family)) } ?? true
    }
    if let row { note(row, search) }
  }

  // MARK: - Reading

  private mutating func searches(in place: Place) throws -> [Search] {
    let entity = model.entities[place.entity]
    let ownerRoot = model.entities[place.relationship.entity].rootIndex
    let members = claims.standIns.members(of: place).filter { !isEdited($0.row, entity) }
    guard !place.identity.isEmpty else {
      return members.map {
        Search(
          standIn: $0, root: entity.rootIndex, ownerRoot: ownerRoot,
          family: FamilyKey(place: place, key: []))
      }
    }
    var keys: [Int64: [Value]] = [:]
    try transaction.scan(
      entity, .rows(members.map(\.row).sorted()), slots: place.identity
    ) { cursor in
      if keys.count % SyncControl.stride == 0 { try control.checkpoint() }
      keys[cursor.row] = place.identity.map(cursor.value)
    }
    try readFamilies(of: Set(keys.values), place, entity)
    return members.compactMap { standIn in
      keys[standIn.row].map {
        Search(
          standIn: standIn, root: entity.rootIndex, ownerRoot: ownerRoot,
          family: FamilyKey(place: place, key: $0))
      }
    }
  }

  /// Reads the stored objects of keys in the order in which they are to be had.
  private mutating func readFamilies(
    of keys: Set<[Value]>, _ place: Place, _ entity: EntityDescription
  ) throws {
    let list = model.entities[place.relationship.entity].properties[place.relationship.slot]
      .relationship
    guard let slot = place.identity.first, let list, let column = list.inverseSlot else { return }
    let arena = CellArena()
    let type = entity.properties[slot].attribute?.type
    let cells = Set(keys.map { $0[0] }).sorted().map { arena.cell($0, as: type) }
    var found: [[Value]: [(row: Int64, owner: Int64, rank: Int)]] = [:]
    var count = 0
    try transaction.scan(entity, .keys(slot: slot, cells), slots: place.identity + [column]) {
      cursor in
      count += 1
      if count % SyncControl.stride == 0 { try control.checkpoint() }
      let key = place.identity.map(cursor.value)
      guard keys.contains(key) else { return }
      let owner = cursor.integer(column) ?? 0
      if let nester = claims.nester(of: cursor.row, under: list, now: owner) {
        let family = FamilyKey(place: place, key: key)
        let first = families[family]?.listed[nester] ?? cursor.row
        families[family, default: StandInFamily()].listed[nester] = first
        return
      }
      guard !claims.standIns.contains(cursor.row, root: entity.rootIndex) else { return }
      let former = origins.owner(under: list, of: cursor.row, entity, now: owner)
      // What the payload mentions elsewhere comes before what is only stored.
      let rank =
        (cursor.entityIndex == entity.index ? 0 : 2)
        + (claims.wasDescribed(cursor.row, entity) ? 0 : 1)
      found[key, default: []].append((cursor.row, former, rank))
    }
    withExtendedLifetime(arena) {}
    for (key, objects) in found {
      let sorted = objects.sorted { ($0.rank, $0.row) < ($1.rank, $1.row) }
      let children = Dictionary(sorted.map { ($0.owner, $0.row) }) { first, _ in first }
      let family = FamilyKey(place: place, key: key)
      families[family, default: StandInFamily()].rows = sorted.map { ($0.row, $0.owner) }
      families[family]?.children = children
    }
  }
}
