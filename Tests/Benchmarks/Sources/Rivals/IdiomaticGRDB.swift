import Foundation
import GRDB
public import Measuring

/// GRDB as its documentation teaches it: Codable, fetch the stored records, compare, write.
public final class IdiomaticGRDB: Contender {
  private let queue: DatabaseQueue
  private let set: DataSet

  public init(path: String, set: DataSet) throws {
    self.set = set
    queue = try RivalSchema.open(path)
  }

  public func close() throws { try queue.close() }

  public func sync(_ payload: UnsafeRawBufferPointer) throws -> Counts {
    guard let start = payload.baseAddress else { return Counts() }
    let data = Data(
      bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: payload.count,
      deallocator: .none)
    let decoder = PayloadDates.decoder(PayloadDates.parse)
    switch set {
    case .users:
      let items = try decoder.decode([UserItem].self, from: data)
      return try queue.write { try Self.sync(items, in: $0) }
    case .books:
      let items = try decoder.decode([BookItem].self, from: data)
      return try queue.write { try Self.sync(items, in: $0) }
    case .documents:
      let items = try decoder.decode([DocumentItem].self, from: data)
      return try queue.write { try Self.sync(items, in: $0) }
    }
  }

  private static func sync(_ items: [UserItem], in database: Database) throws -> Counts {
    var counts = Counts()
    _ = try reconcile(items.map(\.record), \.id, in: database, &counts)
    let notes = items.flatMap { item in
      item.notes.map {
        NoteRecord(id: $0.id, userId: item.id, text: $0.text, createdAt: $0.createdAt)
      }
    }
    _ = try reconcile(notes, \.id, in: database, &counts)
    return counts
  }

  /// Chapters are not counted, like those of the other contenders.
  private static func sync(_ items: [BookItem], in database: Database) throws -> Counts {
    var counts = Counts()
    var chapterCounts = Counts()
    _ = try reconcile(items.map(\.record), \.id, in: database, &counts)
    _ = try reconcile(items.flatMap(\.chapterRecords), \.id, in: database, &chapterCounts)
    return counts
  }

  private static func sync(_ items: [DocumentItem], in database: Database) throws -> Counts {
    var counts = Counts()
    var touched = try reconcile(items.map(\.record), \.id, in: database, &counts)
    let updated = touched.updated
    for (table, keys) in [
      ("document_tags", \DocumentItem.tagsIds), ("document_people", \DocumentItem.peopleIds),
    ] {
      let wanted = Set(
        items.flatMap { item in
          item[keyPath: keys].map { LinkRecord(source: item.id, target: $0) }
        })
      let present = Set(try LinkRecord.fetchAll(database, sql: "SELECT * FROM \(table)"))
      for link in present.subtracting(wanted) {
        try database.execute(
          sql: "DELETE FROM \(table) WHERE source = ? AND target = ?",
          arguments: [link.source, link.target])
        touched.updated.insert(link.source)
      }
      for link in wanted.subtracting(present) {
        try database.execute(
          sql: "INSERT INTO \(table) VALUES (?, ?)", arguments: [link.source, link.target])
        touched.updated.insert(link.source)
      }
    }
    let links = touched.updated.subtracting(updated).subtracting(touched.inserted)
      .subtracting(touched.deleted)
    counts.updated += links.count
    return counts
  }

  private static func reconcile<Record>(
    _ records: [Record], _ key: KeyPath<Record, Int64>, in database: Database,
    _ counts: inout Counts
  ) throws -> (inserted: Set<Int64>, updated: Set<Int64>, deleted: Set<Int64>)
  where Record: FetchableRecord & PersistableRecord & Equatable {
    var existing = Dictionary(
      uniqueKeysWithValues: try Record.fetchAll(database).map { ($0[keyPath: key], $0) })
    var inserted = Set<Int64>()
    var updated = Set<Int64>()
    for record in records {
      if let present = existing.removeValue(forKey: record[keyPath: key]) {
        if present != record {
          try record.update(database)
          updated.insert(record[keyPath: key])
        }
      } else {
        try record.insert(database)
        inserted.insert(record[keyPath: key])
      }
    }
    try Record.deleteAll(database, keys: existing.keys.map { $0 })
    counts.inserted += inserted.count
    counts.updated += updated.count
    counts.deleted += existing.count
    return (inserted, updated, Set(existing.keys))
  }
}
