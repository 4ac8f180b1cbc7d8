import Foundation
import GRDB
public import Measuring

/// GRDB as fast as it gets without leaving it: dates by hand, one ordered cursor per table merged
/// with the sorted payload, values compared in the row, cached statements with arguments.
public final class BestGRDB: Contender {
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
    let decoder = PayloadDates.decoder { PayloadDates.fast($0) }
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
    let users = Table(
      name: "users",
      columns: [
        "id", "name", "email", "phone", "city", "bio", "created_at", "updated_at", "score",
        "is_active",
      ])
    _ = try users.reconcile(items.sorted { $0.id < $1.id }, in: database, &counts) { item in
      [
        item.id, item.name, item.email, item.phone, item.city, item.bio,
        milliseconds(item.createdAt), milliseconds(item.updatedAt), item.score, item.isActive,
      ]
    } isEqual: { row, item in
      row[1] == item.name && row[2] == item.email && row[3] == item.phone && row[4] == item.city
        && row[5] == item.bio && row[6] == milliseconds(item.createdAt)
        && row[7] == milliseconds(item.updatedAt) && row[8] == item.score
        && row[9] == item.isActive
    } key: {
      $0.id
    }
    var notes: [(user: Int64, item: NoteItem)] = []
    for item in items { for note in item.notes { notes.append((item.id, note)) } }
    notes.sort { $0.item.id < $1.item.id }
    let table = Table(name: "notes", columns: ["id", "user_id", "text", "created_at"])
    _ = try table.reconcile(notes, in: database, &counts) { note in
      [note.item.id, note.user, note.item.text, milliseconds(note.item.createdAt)]
    } isEqual: { row, note in
      row[1] == note.user && row[2] == note.item.text
        && row[3] == milliseconds(note.item.createdAt)
    } key: {
      $0.item.id
    }
    return counts
  }

  /// Chapters are not counted, like those of the other contenders.
  private static func sync(_ items: [BookItem], in database: Database) throws -> Counts {
    var counts = Counts()
    var chapterCounts = Counts()
    let books = Table(name: "books", columns: ["id", "title", "author", "published_at"])
    _ = try books.reconcile(items.sorted { $0.id < $1.id }, in: database, &counts) { item in
      [item.id, item.title, item.author, milliseconds(item.publishedAt)]
    } isEqual: { row, item in
      row[1] == item.title && row[2] == item.author && row[3] == milliseconds(item.publishedAt)
    } key: {
      $0.id
    }
    let chapters = items.flatMap(\.chapterRecords).sorted { $0.id < $1.id }
    let table = Table(name: "chapters", columns: ["id", "book_id", "position", "title", "pages"])
    _ = try table.reconcile(chapters, in: database, &chapterCounts) { chapter in
      [chapter.id, chapter.bookId, chapter.position, chapter.title, chapter.pages]
    } isEqual: { row, chapter in
      row[1] == chapter.bookId && row[2] == chapter.position && row[3] == chapter.title
        && row[4] == chapter.pages
    } key: {
      $0.id
    }
    return counts
  }

  private static func sync(_ items: [DocumentItem], in database: Database) throws -> Counts {
    var counts = Counts()
    let sorted = items.sorted { $0.id < $1.id }
    let table = Table(name: "documents", columns: ["id", "title", "body", "created_at", "pages"])
    var changed = try table.reconcile(sorted, in: database, &counts) { item in
      [item.id, item.title, item.body, milliseconds(item.createdAt), item.pages]
    } isEqual: { row, item in
      row[1] == item.title && row[2] == item.body && row[3] == milliseconds(item.createdAt)
        && row[4] == item.pages
    } key: {
      $0.id
    }
    let before = changed.updated.count
    for (name, keys) in [
      ("document_tags", \DocumentItem.tagsIds), ("document_people", \DocumentItem.peopleIds),
    ] {
      var pairs: [LinkRecord] = []
      for item in sorted {
        for key in item[keyPath: keys].sorted() {
          pairs.append(LinkRecord(source: item.id, target: key))
        }
      }
      for source in try reconcile(pairs, name, in: database)
      where !changed.others.contains(source) {
        changed.updated.insert(source)
      }
    }
    counts.updated += changed.updated.count - before
    return counts
  }

  /// Merges sorted pairs with a link table; returns the sources whose links changed.
  private static func reconcile(
    _ pairs: [LinkRecord], _ name: String, in database: Database
  ) throws -> Set<Int64> {
    var added: [LinkRecord] = []
    var removed: [LinkRecord] = []
    var position = 0
    func isBefore(_ left: LinkRecord, _ right: LinkRecord) -> Bool {
      (left.source, left.target) < (right.source, right.target)
    }
    let rows = try Row.fetchCursor(
      database, sql: "SELECT source, target FROM \(name) ORDER BY source, target")
    while let row = try rows.next() {
      let link = LinkRecord(source: row[0], target: row[1])
      while position < pairs.count, isBefore(pairs[position], link) {
        added.append(pairs[position])
        position += 1
      }
      if position < pairs.count, pairs[position] == link {
        position += 1
      } else {
        removed.append(link)
      }
    }
    added += pairs[position...]
    let delete = try database.makeStatement(
      sql: "DELETE FROM \(name) WHERE source = ? AND target = ?")
    for link in removed { try delete.execute(arguments: [link.source, link.target]) }
    let insert = try database.makeStatement(sql: "INSERT INTO \(name) VALUES (?, ?)")
    for link in added { try insert.execute(arguments: [link.source, link.target]) }
    return Set((added + removed).map(\.source))
  }

  private static func milliseconds(_ date: Date) -> Int64 {
    Int64((date.timeIntervalSince1970 * 1000).rounded())
  }
}

/// A table that is merged with sorted items.
private struct Table {
  let name: String
  let columns: [String]

  func reconcile<Item>(
    _ items: [Item], in database: Database, _ counts: inout Counts,
    values: (Item) -> StatementArguments, isEqual: (Row, Item) -> Bool, key: (Item) -> Int64
  ) throws -> (updated: Set<Int64>, others: Set<Int64>) {
    var inserted: [Item] = []
    var updated: [Item] = []
    var deleted: [Int64] = []
    var position = 0
    let rows = try Row.fetchCursor(
      database, sql: "SELECT \(columns.joined(separator: ", ")) FROM \(name) ORDER BY id")
    while let row = try rows.next() {
      let id: Int64 = row[0]
      while position < items.count, key(items[position]) < id {
        inserted.append(items[position])
        position += 1
      }
      if position < items.count, key(items[position]) == id {
        if !isEqual(row, items[position]) { updated.append(items[position]) }
        position += 1
      } else {
        deleted.append(id)
      }
    }
    inserted += items[position...]
    let delete = try database.makeStatement(sql: "DELETE FROM \(name) WHERE id = ?")
    for id in deleted { try delete.execute(arguments: [id]) }
    let assignments = columns.map { "\($0) = ?" }.joined(separator: ", ")
    let update = try database.makeStatement(sql: "UPDATE \(name) SET \(assignments) WHERE id = ?")
    for item in updated { try update.execute(arguments: values(item) + [key(item)]) }
    let places = columns.map { _ in "?" }.joined(separator: ", ")
    let insert = try database.makeStatement(sql: "INSERT INTO \(name) VALUES (\(places))")
    for item in inserted { try insert.execute(arguments: values(item)) }
    counts.inserted += inserted.count
    counts.updated += updated.count
    counts.deleted += deleted.count
    return (Set(updated.map(key)), Set(inserted.map(key) + deleted))
  }
}
