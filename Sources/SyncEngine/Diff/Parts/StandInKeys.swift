import SyncCore
import SyncStore

/// Of several objects of a key the one that an owner is linked to is meant: which that is for what a stand-in said, is
/// known when the stored object is.
struct StandInKeys {
  typealias Relationship = Claims.Relationship

  /// A relationship of a stand-in, by its row.
  struct Place: Hashable {
    let relationship: Relationship
    let row: Int64
  }

  let objects: StandInSettlement.Objects
  let model: ManagedObjectModel
  let transaction: StoreTransaction
  let control: SyncControl

  /// Whom to put in the place of members that a stand-in named.
  ///
  /// - Complexity: O(*n*) in what was said.
  func meant(_ parts: PartMemory) throws -> [Place: [Int64: Int64]] {
    var named: [Relationship: [Place: Set<Int64>]] = [:]
    try parts.log.forEachStatement(control.checkpoint) { _, statement in
      let key = statement.relationship
      guard statement.kind == .list || statement.kind == .reference,
        objects[model.entities[key.entity].rootIndex]?[statement.row] != nil,
        let relationship = model.entities[key.entity].properties[key.slot].relationship,
        // What is nested in such a list is a stand-in itself.
        relationship.kind != .oneToMany || statement.flags.contains(.keys)
      else { return }
      let place = Place(relationship: key, row: statement.row)
      named[key, default: [:]][place, default: []].formUnion(statement.members.filter { $0 > 0 })
    }
    var result: [Place: [Int64: Int64]] = [:]
    for (key, places) in named { try add(places, key, to: &result) }
    return result
  }

  private func add(
    _ places: [Place: Set<Int64>], _ key: Relationship, to result: inout [Place: [Int64: Int64]]
  ) throws {
    let entity = model.entities[key.entity]
    guard let relationship = entity.properties[key.slot].relationship,
      case let destination = entity.destination(of: relationship),
      let keySlot = destination.primaryKey?.slot
    else { return }
    func object(_ place: Place) -> Int64 { objects[entity.rootIndex]?[place.row] ?? place.row }
    var linked: [Int64: [Int64]] = [:]
    for member in try transaction.members(
      of: relationship, in: entity, owners: Set(places.keys.map(object)).sorted())
    {
      linked[member.owner, default: []].append(member.row)
    }
    var rows = Set(linked.values.joined())
    for members in places.values { rows.formUnion(members) }
    var keys: [Int64: Value] = [:]
    try transaction.scan(destination, .rows(rows.sorted()), slots: [keySlot]) {
      keys[$0.row] = $0.value(keySlot)
    }
    for (place, members) in places {
      for member in members {
        guard let key = keys[member],
          let own = linked[object(place)]?.first(where: { keys[$0] == key }), own != member
        else { continue }
        result[place, default: [:]][member] = own
      }
    }
  }
}
