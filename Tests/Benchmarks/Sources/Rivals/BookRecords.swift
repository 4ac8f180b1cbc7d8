import Foundation
import GRDB

/// The records of books and their chapters, whose place in the book is a column.
struct BookRecord: Codable, FetchableRecord, PersistableRecord, Equatable {
  static let databaseTableName = "books"
  static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
  static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .millisecondsSince1970
  }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .millisecondsSince1970
  }

  var id: Int64
  var title: String
  var author: String
  var publishedAt: Date
}

struct ChapterRecord: Codable, FetchableRecord, PersistableRecord, Equatable {
  static let databaseTableName = "chapters"
  static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
  static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase

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
