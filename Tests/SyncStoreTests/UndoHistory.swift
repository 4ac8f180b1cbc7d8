import TestSupport

@testable import SyncStore

/// A store with a random history, and what it held after each commit.
final class UndoHistory {
  /// A stored value, a place in a list or a link, by its name.
  struct Fact: Hashable {
    let table: String
    let row: Int64
    let column: String
  }

  /// What a store holds: the rows that are there, and their facts.
  struct State: Equatable {
    var rows: Set<Fact> = []
    var facts: [Fact: String] = [:]
  }

  let temporary: TemporaryStore
  private(set) var states: [State] = []
  private var random: SeededGenerator
  private var lastKey: Int64 = 0

  /// One-to-one (`partner`), ordered one-to-many with Deny at the parent (`items`/`owner`), ordered
  /// many-to-many (`links`/`linked`), references and links without inverse (`other`, `others`), a
  /// relationship that is its own inverse (`friends`), a cascade (`parts`/`whole`), a subentity.
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      EntityDraft(
        "A",
        [
          "id", "name", "score double", "seal binary", "partner -> B.partner",
          "items ->> B.owner ordered deny", "links ->> B.linked ordered", "other -> B",
          "others ->> B", "friends ->> A.friends", "parts ->> A.whole cascade", "whole -> A.parts",
        ]),
      "B: id, name, partner -> A.partner, owner -> A.items, linked ->> A.links ordered",
      "C < B: depth integer32",
    ])
  }

  init(seed: UInt64, _ kind: StoreKind = .memory) throws {
    random = SeededGenerator(seed: seed)
    temporary = try TemporaryStore(Self.model(), kind) {
      $0.formerValues = FormerValueLimits(age: 1e6, size: .max)
    }
    states = [try state()]
  }

  var store: Store { temporary.store }

  /// Makes a commit of random changes.
  func commit() throws {
    let changes = try store.write(TransactionInfo(source: .import)) { transaction in
      for _ in 0..<Int.random(in: 1...4, using: &random) { try change(transaction) }
    }.1
    if !changes.isEmpty { states.append(try state()) }
  }

  /// Takes commits back, by their numbers.
  func undo(_ first: Int, _ last: Int) throws -> [UndoReport.Left] {
    let (left, changes) = try store.write(TransactionInfo(source: .undo)) {
      try $0.undo(
        from: HistoryToken(number: Int64(first)), through: HistoryToken(number: Int64(last))
      ) { _, _, _ in }
    }
    if !changes.isEmpty { states.append(try state()) }
    return left
  }

  // MARK: - State

  func state() throws -> State {
    var state = State()
    let layout = store.layout
    try store.read { reader in
      for table in layout.tables {
        let columns =
          table.columns.map { ($0.identifier.name, $0.quoted) }
          + table.positions.map { ($0.identifier.name, $0.quoted) }
        let names = columns.map(\.1).joined(separator: ", ")
        let statement = try reader.connection.statement(
          "SELECT _row, \(names) FROM \(table.quoted)")
        defer { statement.reset() }
        while try statement.step() {
          let row = statement.integer(0)
          state.rows.insert(Fact(table: table.identifier.name, row: row, column: ""))
          for (index, column) in columns.enumerated() {
            state.facts[Fact(table: table.identifier.name, row: row, column: column.0)] =
              "\(statement.value(index + 1))"
          }
        }
      }
      for link in layout.links {
        let statement = try reader.connection.statement("SELECT * FROM \(link.quoted)")
        defer { statement.reset() }
        while try statement.step() {
          let fact = Fact(
            table: link.identifier.name, row: statement.integer(0),
            column: "\(statement.integer(1))")
          state.facts[fact] = [link.isSourceOrdered, link.isTargetOrdered].filter(\.self).indices
            .map { "\(statement.value($0 + 2))" }.joined(separator: " ")
        }
      }
    }
    return state
  }

  // MARK: - Changes

  private func rows(_ name: String, _ transaction: StoreTransaction) throws -> [Int64] {
    var rows: [Int64] = []
    try transaction.scan(try store.model.requireEntity(named: name), .all, slots: []) {
      rows.append($0.row)
    }
    return rows
  }

  private func change(_ transaction: StoreTransaction) throws {
    let a = try store.model.requireEntity(named: "A")
    let (aRows, bRows) = (try rows("A", transaction), try rows("B", transaction))
    guard aRows.count > 2, bRows.count > 2 else { return try insert(transaction, aRows, bRows) }
    let (one, other) = (random.pick(aRows), random.pick(bRows))
    func list(_ name: String) throws -> RelationshipDescription {
      try a.relationship(named: name) ?? { throw StoreError.closed }()
    }
    switch Int.random(in: 0..<13, using: &random) {
    case 0, 1: try insert(transaction, aRows, bRows)
    case 2:
      try transaction.update(
        "A", one,
        [
          "name": .string("n\(Int.random(in: 0..<5, using: &random))"),
          "score": random.chance(30)
            ? .null : .double(Double(Int.random(in: 0..<4, using: &random))),
        ])
    case 3: try transaction.update("B", other, ["name": .string("m\(one)")])
    case 4:
      try transaction.lead(
        try list("partner"), of: a, row: one, to: random.chance(20) ? nil : other)
    case 5: try transaction.update("B", other, ["owner": random.chance(20) ? .null : .int(one)])
    case 6:
      let members = try transaction.members(of: list("items"), in: a, owners: [one]).map(\.row)
      try transaction.arrange(
        list("items"), of: a, owner: one, as: members.shuffled(using: &random))
    case 7:
      let relationship = try list(random.pick(["links", "others"]))
      let pairs = (0..<3).map { _ in (owner: random.pick(aRows), member: random.pick(bRows)) }
      try transaction.addLinks(relationship, of: a, pairs: pairs)
    case 8:
      let relationship = try list(random.pick(["links", "others"]))
      let members = try transaction.members(of: relationship, in: a, owners: [one]).map(\.row)
      try transaction.removeLinks(relationship, of: a, pairs: members.prefix(2).map { (one, $0) })
    case 9:
      let members = try transaction.members(of: list("links"), in: a, owners: [one]).map(\.row)
      try transaction.arrange(
        list("links"), of: a, owner: one, as: members.shuffled(using: &random))
    case 10:
      let friend = random.pick(aRows)
      if random.chance(60) {
        try transaction.addLinks(list("friends"), of: a, pairs: [(one, friend)])
      } else {
        try transaction.removeLinks(list("friends"), of: a, pairs: [(one, friend)])
      }
    case 11:
      try transaction.update(
        "A", one, ["other": .int(other), "whole": one > aRows[0] ? .int(aRows[0]) : .null])
    default:
      if random.chance(50) {
        try transaction.delete("B", [other])
      } else {
        // Deny forbids some.
        do { try transaction.delete([one], of: a) } catch let error as StoreError {
          guard error.code == .deletionDenied else { throw error }
        }
      }
    }
  }

  private func insert(_ transaction: StoreTransaction, _ aRows: [Int64], _ bRows: [Int64]) throws {
    lastKey += 2
    let made = try transaction.insert(
      "A", [["id": .int(lastKey), "name": "new", "other": bRows.last.map(Value.int) ?? .null]])
    let owner: Value = .int(random.chance(50) ? made[0] : aRows.first ?? made[0])
    try transaction.insert(
      random.chance(30) ? "C" : "B",
      [["id": .int(lastKey), "owner": owner], ["id": .int(lastKey + 1), "owner": owner]])
  }
}
