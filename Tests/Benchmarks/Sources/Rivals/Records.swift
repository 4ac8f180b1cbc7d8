import Foundation
import GRDB

/// A row that both forms of GRDB store: columns in snake case, dates in milliseconds.
protocol RivalRecord: Codable, FetchableRecord, PersistableRecord, Equatable {}

extension RivalRecord {
  static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .convertToSnakeCase }
  static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
    .convertFromSnakeCase
  }
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .millisecondsSince1970
  }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .millisecondsSince1970
  }
}

struct UserRecord: RivalRecord {
  static let databaseTableName = "users"

  var id: Int64
  var name: String
  var email: String
  var phone: String
  var city: String
  var bio: String
  var createdAt: Date
  var updatedAt: Date
  var score: Double
  var isActive: Bool
}

struct NoteRecord: RivalRecord {
  static let databaseTableName = "notes"

  var id: Int64
  var userId: Int64
  var text: String
  var createdAt: Date
}

struct DocumentRecord: RivalRecord {
  static let databaseTableName = "documents"

  var id: Int64
  var title: String
  var body: String
  var createdAt: Date
  var pages: Int
}

/// A row of one of the two link tables.
struct LinkRecord: Codable, FetchableRecord, PersistableRecord, Hashable {
  static let databaseTableName = "document_tags"
  var source: Int64
  var target: Int64
}

/// A user in the payload.
struct UserItem: Decodable {
  var id: Int64
  var name: String
  var email: String
  var phone: String
  var city: String
  var bio: String
  var createdAt: Date
  var updatedAt: Date
  var score: Double
  var isActive: Bool
  var notes: [NoteItem]

  var record: UserRecord {
    UserRecord(
      id: id, name: name, email: email, phone: phone, city: city, bio: bio, createdAt: createdAt,
      updatedAt: updatedAt, score: score, isActive: isActive)
  }
}

struct NoteItem: Decodable {
  var id: Int64
  var text: String
  var createdAt: Date
}

/// A document in the payload.
struct DocumentItem: Decodable {
  var id: Int64
  var title: String
  var body: String
  var createdAt: Date
  var pages: Int
  var tagsIds: [Int64]
  var peopleIds: [Int64]

  var record: DocumentRecord {
    DocumentRecord(id: id, title: title, body: body, createdAt: createdAt, pages: pages)
  }
}

/// A book; the place of its chapters is a column of theirs.
struct BookRecord: RivalRecord {
  static let databaseTableName = "books"

  var id: Int64
  var title: String
  var author: String
  var publishedAt: Date
}

struct ChapterRecord: RivalRecord {
  static let databaseTableName = "chapters"

  var id: Int64
  var bookId: Int64
  var position: Int64
  var title: String
  var pages: Int
}

/// A book in the payload.
struct BookItem: Decodable {
  var id: Int64
  var title: String
  var author: String
  var publishedAt: Date
  var chapters: [ChapterItem]

  var record: BookRecord {
    BookRecord(id: id, title: title, author: author, publishedAt: publishedAt)
  }

  var chapterRecords: [ChapterRecord] {
    chapters.enumerated().map { position, chapter in
      ChapterRecord(
        id: chapter.id, bookId: id, position: Int64(position), title: chapter.title,
        pages: chapter.pages)
    }
  }
}

struct ChapterItem: Decodable {
  var id: Int64
  var title: String
  var pages: Int
}

enum RivalSchema {
  static func create(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT, email TEXT, phone TEXT,
          city TEXT, bio TEXT, created_at INTEGER, updated_at INTEGER, score REAL, is_active INTEGER);
        CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, user_id INTEGER, text TEXT,
          created_at INTEGER);
        CREATE INDEX IF NOT EXISTS notes_parent ON notes (user_id);
        CREATE TABLE IF NOT EXISTS documents (id INTEGER PRIMARY KEY, title TEXT, body TEXT,
          created_at INTEGER, pages INTEGER);
        CREATE TABLE IF NOT EXISTS document_tags (source INTEGER NOT NULL, target INTEGER NOT NULL,
          PRIMARY KEY (source, target)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS document_tags_reverse ON document_tags (target, source);
        CREATE TABLE IF NOT EXISTS document_people (source INTEGER NOT NULL, target INTEGER NOT NULL,
          PRIMARY KEY (source, target)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS document_people_reverse ON document_people (target, source);
        CREATE TABLE IF NOT EXISTS books (id INTEGER PRIMARY KEY, title TEXT, author TEXT,
          published_at INTEGER);
        CREATE TABLE IF NOT EXISTS chapters (id INTEGER PRIMARY KEY, book_id INTEGER,
          position INTEGER, title TEXT, pages INTEGER);
        CREATE INDEX IF NOT EXISTS chapters_parent ON chapters (book_id);
        """)
  }

  static func open(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write(create)
    return queue
  }
}
