import SyncCore

/// New objects that stand in for stored ones.
///
/// An owner nests a key that is stored below another owner, of whom the payload has said nothing so far: either the
/// object moves, or each of the two has one of its own. Which, is known when everything has been seen. Until then the
/// owner has a new object, and the stored one stays as it is: no part takes from an owner what a later part lists under
/// it. New objects that stand below it are stand-ins too: for what belongs to the stored one. ``StandInSettlement``
/// decides.
struct StandIns: Sendable {
  typealias Relationship = Claims.Relationship

  /// Where stand-ins stand, and what identifies them.
  struct Place: Hashable, Codable, Sendable {
    /// The relationship of their owners.
    let relationship: Relationship
    let entity: Int
    let root: Int
    /// Slots; none where the owner alone tells.
    let identity: [Int]
    /// Whether keys are unique per owner only, so that nothing moves.
    let keyScopeIsOwner: Bool
  }

  struct StandIn {
    let row: Int64
    let owner: Int64
    /// Whether its owner is a stand-in.
    var isBelow = false
    /// How many were made before it.
    var order = 0
  }

  /// What a mention says of attributes.
  struct Words {
    /// The later the higher.
    let time: Int64
    let slots: SlotSet
  }

  /// An object by its table.
  struct Object: Hashable {
    let root: Int
    let row: Int64
  }

  private(set) var places: [Place] = []
  private var members: [[StandIn]] = []
  private var count = 0
  private var rows: [Int: RowSet] = [:]
  /// Those that do not stand below others, by the list.
  private var heads: [Relationship: RowSet] = [:]

  /// Objects of a superentity that others have seen, and those of the subentity that come in their place.
  private(set) var replaced: [Object: Int64] = [:]
  /// The latter, by table.
  private var replacing: [Int: [Int64: Int64]] = [:]

  /// What was said of stand-ins, and since then of stored objects of their keys.
  private(set) var words: [Object: [Words]] = [:]

  var isEmpty: Bool { places.isEmpty && replaced.isEmpty }

  /// The stand-ins of a place, in the order in which they were made.
  func members(of place: Place) -> [StandIn] {
    places.firstIndex(of: place).map { members[$0] } ?? []
  }

  /// Whether a row is a stand-in of a list, and its owner is none.
  func contains(_ row: Int64, atTopOf list: Relationship) -> Bool {
    heads[list]?.contains(row) ?? false
  }

  func contains(_ row: Int64, root: Int) -> Bool { rows[root]?.contains(row) ?? false }

  /// Whether there are any in a table.
  func areIn(root: Int) -> Bool { rows[root] != nil }

  /// - Returns: False when it was there.
  @discardableResult
  mutating func add(_ standIn: StandIn, to place: Place) -> Bool {
    guard rows[place.root, default: RowSet()].insert(standIn.row) else { return false }
    if !standIn.isBelow { heads[place.relationship, default: RowSet()].insert(standIn.row) }
    let known = places.firstIndex(of: place)
    if known == nil {
      places.append(place)
      members.append([])
    }
    members[known ?? places.count - 1].append(
      StandIn(
        row: standIn.row, owner: standIn.owner, isBelow: standIn.isBelow, order: count))
    count += 1
    return true
  }

  /// Notes that an object of a subentity comes in the place of another one.
  mutating func replace(_ object: Object, by row: Int64) {
    replaced[object] = row
    rows[object.root, default: RowSet()].insert(object.row)
    replacing[object.root, default: [:]][row] = object.row
  }

  /// Whether what is said of an object has to be noted.
  func isFollowed(_ row: Int64, root: Int) -> Bool {
    contains(row, root: root) || former(of: row, root: root) != nil
  }

  /// In whose place an object comes.
  func former(of row: Int64, root: Int) -> Int64? { replacing[root]?[row] }

  mutating func note(_ slots: SlotSet, of object: Object, at time: Int64) {
    words[object, default: []].append(Words(time: time, slots: slots))
  }
}

// MARK: - Keeping

extension StandIns: Codable {
  private struct Kept: Codable {
    var places: [Place]
    /// Row, owner, whether it stands below another, and order of each.
    var members: [PackedIntegers]
    /// Root entity, row and replacement of each.
    var replaced: PackedIntegers
    /// Root entity, row, time, number of slots and slots of each.
    var words: PackedIntegers
  }

  init(from decoder: any Decoder) throws {
    let kept = try Kept(from: decoder)
    var all: [(place: Place, standIn: StandIn)] = []
    for (place, members) in zip(kept.places, kept.members.map(\.values)) {
      for index in stride(from: 0, to: members.count - members.count % 4, by: 4) {
        let standIn = StandIn(
          row: members[index], owner: members[index + 1], isBelow: members[index + 2] != 0,
          order: Int(members[index + 3]))
        all.append((place, standIn))
      }
    }
    for (place, standIn) in all.sorted(by: { $0.standIn.order < $1.standIn.order }) {
      add(standIn, to: place)
    }
    let replaced = kept.replaced.values
    for index in stride(from: 0, to: replaced.count - replaced.count % 3, by: 3) {
      replace(
        Object(root: Int(replaced[index]), row: replaced[index + 1]), by: replaced[index + 2])
    }
    var rest = kept.words.values[...]
    while rest.count >= 4 {
      let head = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      let count = min(max(Int(head[3]), 0), rest.count)
      var slots = SlotSet()
      for slot in rest.prefix(count) where slot >= 0 { slots.insert(Int(slot)) }
      rest = rest.dropFirst(count)
      note(slots, of: Object(root: Int(head[0]), row: head[1]), at: head[2])
    }
  }

  func encode(to encoder: any Encoder) throws {
    let words = words.flatMap { object, words in
      words.flatMap {
        [Int64(object.root), object.row, $0.time, Int64($0.slots.count)] + $0.slots.map(Int64.init)
      }
    }
    try Kept(
      places: places,
      members: members.map {
        PackedIntegers($0.flatMap { [$0.row, $0.owner, $0.isBelow ? 1 : 0, Int64($0.order)] })
      },
      replaced: PackedIntegers(
        replaced.flatMap { [Int64($0.key.root), $0.key.row, $0.value] }),
      words: PackedIntegers(words)
    ).encode(to: encoder)
  }
}
