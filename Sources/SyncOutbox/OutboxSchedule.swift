import SyncCore
import SyncStore

/// In which order the objects of one run have their turn.
///
/// ```
/// untried: edits, then deletions ─▶ those that failed least ─▶ those that failed most
/// ```
///
/// One that needs another one first is parked below it; ``OutboxPreparing`` finds out which. When
/// nothing is left but circles, one is cut where that costs least (``OutboxTie``). An object that
/// needs one that is held back is held back with it. Confined to one run.
struct OutboxSchedule {
  /// The objects that are next, the last first.
  private var queue: [ManagedObjectID] = []

  /// The objects that are not out.
  private var open: Set<ManagedObjectID> = []

  /// Objects that went out without having been done; they are not tried again in this run.
  private var held: Set<ManagedObjectID> = []

  /// The objects that wait for each object, and the one that each waits for.
  private var parked: [ManagedObjectID: [ManagedObjectID]] = [:]
  private var ties: [ManagedObjectID: (other: ManagedObjectID, tie: OutboxTie)] = [:]

  /// How many of those that refer to a deleted object need not be looked at again.
  private var passed: [ManagedObjectID: Int] = [:]

  /// The objects that each does not wait for, because they would wait for it.
  private var cuts: [ManagedObjectID: Set<ManagedObjectID>] = [:]

  /// How often those were tried without success that were tried.
  private var tries: [ManagedObjectID: Int64] = [:]

  /// Where the deletions of a root entity stand among others: after those of the entities that
  /// refer to it.
  private let places: [Int]

  init(_ model: ManagedObjectModel) {
    places = OutboxSchedule.places(in: model)
  }

  var count: Int { open.count }

  // MARK: - Coming and going

  /// Takes the objects of a run in, in the order in which they came to wait.
  mutating func add(_ entries: [OutboxEntry]) {
    func place(_ entry: OutboxEntry) -> (Int64, Int, Int64) {
      let isDeletion = entry.edit?.kind == .delete
      // Of those that refer to their like the latest goes first.
      return (
        entry.tries, isDeletion ? places[entry.id.entity.rootIndex] + 1 : 0,
        isDeletion ? -entry.id.row : entry.number
      )
    }
    let sorted = entries.map { (place($0), $0.id) }.sorted { $0.0 < $1.0 }.map(\.1)
    for entry in entries where entry.tries > 0 { tries[entry.id] = entry.tries }
    for id in sorted where open.insert(id).inserted { queue.append(id) }
    queue.reverse()
  }

  /// Puts an object at the beginning: it has more to send.
  mutating func addFirst(_ id: ManagedObjectID) {
    if open.insert(id).inserted { queue.append(id) }
  }

  /// The next object to look at; nil when all that are left are under way or parked.
  mutating func next() -> ManagedObjectID? { queue.popLast() }

  /// Has an object wait until another one is out.
  mutating func park(_ id: ManagedObjectID, _ wait: OutboxPreparing.Wait) {
    parked[wait.other.id, default: []].append(id)
    ties[id] = (wait.other.id, wait.tie)
    passed[id] = wait.passed > 0 ? wait.passed : nil
  }

  /// Takes an object out.
  ///
  /// - Parameter isHeld: Whether those that need it stay where they are.
  mutating func finish(_ id: ManagedObjectID, isHeld: Bool) {
    var leaving = [id]
    while let id = leaving.popLast() {
      guard open.remove(id) != nil else { continue }
      if isHeld { held.insert(id) }
      ties[id] = nil
      cuts[id] = nil
      passed[id] = nil
      let waiting = parked.removeValue(forKey: id) ?? []
      for id in waiting { ties[id] = nil }
      if isHeld { leaving += waiting } else { queue += waiting.reversed() }
    }
  }

  // MARK: - Circles

  /// Lets one of those that wait for each other in a circle go, when nothing else is left: of
  /// several that cost the same the one that was tried least.
  ///
  /// - Returns: False when none waits.
  mutating func cut() -> Bool {
    guard var id = ties.keys.min() else { return false }
    var way: [ManagedObjectID] = []
    var seen: Set<ManagedObjectID> = []
    while let next = ties[id]?.other, seen.insert(id).inserted {
      way.append(id)
      id = next
    }
    // Where the way comes back to is the circle; objects that lead there stay parked.
    let circle = way.drop { $0 != id }.sorted()
    guard let first = circle.min(by: { weight($0) < weight($1) }) ?? way.last,
      let other = ties.removeValue(forKey: first)?.other
    else { return false }
    parked[other]?.removeAll { $0 == first }
    cuts[first, default: []].insert(other)
    queue.append(first)
    return true
  }

  private func weight(_ id: ManagedObjectID) -> (Int, Int64) {
    (ties[id]?.tie.rawValue ?? .max, tries[id] ?? 0)
  }

  /// Whether an object goes without waiting for another one.
  func isCut(_ id: ManagedObjectID, from other: ManagedObjectID) -> Bool {
    cuts[id]?.contains(other) == true
  }

  // MARK: - Questions

  func passed(_ id: ManagedObjectID) -> Int { passed[id] ?? 0 }

  func contains(_ id: ManagedObjectID) -> Bool { open.contains(id) }

  /// Whether an object had its turn in this run, and was not done.
  func isHeld(_ id: ManagedObjectID) -> Bool { held.contains(id) }

  /// Where the root entities of a model stand, those first that refer to others.
  private static func places(in model: ManagedObjectModel) -> [Int] {
    var targets: [Int: Set<Int>] = [:]
    for entity in model.entities {
      for relationship in entity.relationships where relationship.kind != .oneToMany {
        targets[entity.rootIndex, default: []].insert(
          entity.destination(of: relationship).rootIndex)
      }
    }
    var places = Array(repeating: -1, count: model.entities.count)
    var next = model.entities.count
    func visit(_ root: Int) {
      guard places[root] < 0 else { return }
      places[root] = 0
      for target in targets[root, default: []].sorted() { visit(target) }
      next -= 1
      places[root] = next
    }
    for entity in model.entities { visit(entity.rootIndex) }
    return places
  }
}

/// Why an object waits for another one, in the order in which that is given up where they wait for
/// each other in a circle.
enum OutboxTie: Int, Sendable {
  /// It is deleted, and an edit of the other takes it out there.
  case edit
  /// The other is in a list that can be sent afterwards.
  case list
  /// It refers to the other.
  case reference
  /// It is one of the members that the other has.
  case membership
  /// It belongs to the other, and is deleted with it.
  case belonging
  /// It cannot be without the other.
  case need
  /// The other has its key until it is deleted.
  case key

  /// The tie from an object to another one: the reference of an owner can be sent afterwards, that
  /// of its belongings cannot.
  init(_ relationship: RelationshipDescription, of entity: EntityDescription) {
    let inverse = entity.inverse(of: relationship)
    self =
      if relationship.kind == .manyToMany {
        .list
      } else if !relationship.isOptional {
        .need
      } else if inverse?.deleteRule == .cascade {
        .belonging
      } else if inverse?.isToMany == true {
        .membership
      } else {
        .reference
      }
  }
}
