import Foundation
import SyncCore
import SyncStore

/// Claims in the store, as rows in the tables of an ``OpenSync``: the claims of a part are written
/// with it, and read as a whole by the process that continues.
struct ClaimsStore {
  let model: ManagedObjectModel
  /// The names of the lists.
  let lists: [String]
  let control: SyncControl

  /// The small facts: of which model the names are, the lists with their counts, and the settings
  /// that all pages and the end have to share, by their names.
  struct Summary: Codable {
    var model: String
    var lists: [KeptList]
    var settings: [String: String]
  }

  /// A list of items, of which a session may have several.
  struct KeptList: Codable {
    var name: String
    var entity: String
    var state = Claims.State()
  }

  /// - Returns: Nil when none was written, or another build wrote another form.
  static func summary(of sync: OpenSync) -> Summary? {
    try? JSONDecoder().decode(Summary.self, from: sync.head)
  }

  // MARK: - Writing

  /// Writes the claims since the last commit.
  ///
  /// - Throws: `CancellationError`; errors of the store.
  /// - Complexity: O(*n*) in the rows, members, objects that are gone, and references.
  func write(_ claims: Claims, to sync: OpenSync, in transaction: StoreTransaction) throws {
    for (number, rows) in claims.new.sets {
      try control.checkpoint()
      let name = ClaimedSet(number: number).name(in: model, lists)
      let before = claims.before.sets[number] ?? RowSet()
      var pages: [OpenSync.RowPage] = []
      rows.forEachPiece { page, words in
        let merged = zip(words, before.piece(page)).map { $0 | $1 }
        pages.append(OpenSync.RowPage(set: name, page: page, words: merged))
      }
      try transaction.write(pages, of: sync)
    }
    try control.checkpoint()
    let removed = claims.new.relisted.compactMap { claims.before.unlisted[$0] }
    let order = claims.new.parentOrder.flatMap { list, rows in
      let first = claims.before.parentOrder[list]?.count ?? 0
      return rows.enumerated().map {
        OpenSync.Member(list: ClaimsStore.order + lists[list], row: $1, value: Int64(first + $0))
      }
    }
    let gone = claims.new.gone.map(member)
    let broughtBack = claims.new.broughtBack.map(member)
    try transaction.write(
      claims.new.unlisted.values.map(member) + order + gone,
      removing: removed.map(member) + broughtBack, of: sync)
    let answered = claims.new.answered.flatMap { claims.before.references[$0] ?? [] }
    try transaction.write(
      claims.new.references.values.joined().map(\.kept), removing: answered.map(\.number), of: sync)
  }

  private static let order = "order/"
  private static let unlisted = "unlisted/"
  private static let gone = "gone/"

  private func member(_ member: Claims.UnlistedMember) -> OpenSync.Member {
    let name = member.entity.properties[member.slot].name
    return OpenSync.Member(
      list: "\(ClaimsStore.unlisted)\(member.entity.name).\(name)", row: member.row,
      value: member.owner)
  }

  private func member(_ object: Claims.GoneObject) -> OpenSync.Member {
    OpenSync.Member(
      list: ClaimsStore.gone + model.entities[object.root].name, row: object.row, value: 0)
  }

  // MARK: - Reading

  /// Reads everything that was content.
  ///
  /// - Throws: ``Claims/outdated`` when it names an entity or property that the model does not
  ///   have; `CancellationError`; errors of the store.
  func read(_ sync: OpenSync, _ kept: [KeptList], from reader: StoreReader) throws -> Claims {
    var content = Claims.Content()
    try reader.readRows(of: sync) { page in
      guard let set = ClaimedSet(named: page.set, in: model, lists) else { throw Claims.outdated }
      content.sets[set.number, default: RowSet()].insert(piece: page.page, page.words)
    }
    try control.checkpoint()
    var orders: [Int: [(row: Int64, place: Int64)]] = [:]
    try reader.readMembers(of: sync) { member in
      if member.list.hasPrefix(ClaimsStore.order) {
        let name = String(member.list.dropFirst(ClaimsStore.order.count))
        guard let list = lists.firstIndex(of: name) else { throw Claims.outdated }
        return orders[list, default: []].append((member.row, member.value))
      }
      if member.list.hasPrefix(ClaimsStore.gone) {
        let name = String(member.list.dropFirst(ClaimsStore.gone.count))
        guard let entity = model.entity(named: name) else { throw Claims.outdated }
        content.gone.insert(Claims.GoneObject(row: member.row, root: entity.rootIndex))
        return
      }
      let parts = member.list.dropFirst(ClaimsStore.unlisted.count).split(separator: ".")
      guard parts.count == 2, let entity = model.entity(named: String(parts[0])),
        let column = entity.relationship(named: String(parts[1]))
      else { throw Claims.outdated }
      content.unlisted[Claims.Member(row: member.row, column: Claims.Relationship(column))] =
        Claims.UnlistedMember(
          row: member.row, entity: entity, slot: column.slot, owner: member.value)
    }
    content.parentOrder = orders.mapValues { $0.sorted(on: \.place).map(\.row) }
    try control.checkpoint()
    try reader.readReferences(of: sync) { kept in
      guard let reference = UnresolvedReference(kept, in: model) else { throw Claims.outdated }
      content.references[reference.place, default: []].append(reference)
    }
    let states = kept.compactMap { kept in
      lists.firstIndex(of: kept.name).map { ($0, kept.state) }
    }
    return Claims(content, Dictionary(uniqueKeysWithValues: states))
  }
}

extension Claims {
  static var outdated: SyncError {
    SyncError(
      .invalidRequest,
      message: """
        The page session was kept with another model or by another version. Abandon it and begin a new one: \
        nothing is lost, deletions are decided by the new one.
        """)
  }
}
