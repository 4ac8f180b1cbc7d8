import SyncStack
import TestSupport

/// The model of a case: depots with crates, which are theirs, and stickers, which many depots have.
struct PairShape: Sendable {
  private(set) var entities = [
    EntityDraft(
      "Depot",
      [
        "id", "name", "note", "zone integer64", "crates ->> Crate.depot cascade",
        "stickers ->> Sticker.depots",
      ]),
    "Crate: id, title, size integer64, depot -> Depot.crates",
    "Sticker: id, name, depots ->> Depot.stickers",
  ]

  /// By entity, the relationship to the owner that objects are told apart below.
  var owners: [String: String] = [:]

  /// By entity, the relationship without which an object is left over, as a sync of depots may do:
  /// stickers that no depot has, and crates that were edited here while their depot was deleted.
  var mentions = ["Sticker": "depots", "Crate": "depot"]

  /// Whether keys of crates are unique below their depot only.
  var keysArePerDepot = false

  /// Whether two crates may have one `id`, and the attribute `day` tells them apart.
  var keysHaveDays = false

  /// Whether the program edits crates, too.
  var editsCrates = true

  /// Whether depots have parts: deleting one here edits its parts, too, which stay until that is
  /// sent.
  var isTree = false

  /// Whether depots have a required attribute `code`.
  var hasCode = false

  /// Whether depots have a photo.
  var hasPhoto = false

  /// Adds an entity.
  mutating func add(_ entity: EntityDraft) { entities.append(entity) }

  /// Changes an entity.
  mutating func change(_ name: String, _ body: (inout EntityDraft) -> Void) {
    for index in entities.indices where entities[index].name == name { body(&entities[index]) }
  }

  /// Adds a property, in the place of the one of that name.
  mutating func replace(_ property: PropertyDraft, of entity: String) {
    change(entity) { draft in
      draft.properties.removeAll { $0.name == property.name }
      draft.properties.append(property)
    }
  }

  /// Adds to the annotations of a relationship from depots to crates.
  mutating func changeCrates(isOrdered: Bool = false, userInfo: [String: String] = [:]) {
    cratesAreOrdered = cratesAreOrdered || isOrdered
    crateInfo.merge(userInfo) { $1 }
    replace(
      .toMany(
        "crates", to: "Crate", inverse: "depot", isOrdered: cratesAreOrdered,
        deleteRule: .cascade, userInfo: crateInfo), of: "Depot")
  }

  private var cratesAreOrdered = false
  private var crateInfo: [String: String] = [:]
}
