import Foundation
import GRDB
import SyncStack

/// The same data for everybody.
final class Person: ManagedObject {
  @PrimaryKey var id: Int64 = 0
  @Attribute var name: String = ""
  @Attribute var email: String?
  @Attribute var city: String?
  @Attribute var age: Int64 = 0
  @Attribute var score: Double = 0
  @Attribute var isActive: Bool = false
  @Attribute var createdAt: Date?
}

struct PersonRecord: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "person"
  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSinceReferenceDate
  }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  var id: Int64
  var name: String
  var email: String?
  var city: String?
  var age: Int64
  var score: Double
  var isActive: Bool
  var createdAt: Date?
}

/// GRDB's fast form: columns by position, no Codable.
struct PlainPersonRecord: FetchableRecord, TableRecord {
  static let databaseTableName = "person"

  var id: Int64
  var name: String
  var email: String?
  var city: String?
  var age: Int64
  var score: Double
  var isActive: Bool
  var createdAt: Date?

  init(row: Row) {
    id = row[0]
    name = row[1]
    email = row[2]
    city = row[3]
    age = row[4]
    score = row[5]
    isActive = row[6]
    createdAt = (row[7] as Double?).map(Date.init(timeIntervalSinceReferenceDate:))
  }
}

extension PersonRecord {
  init(number: Int) {
    id = Int64(number)
    name = "Person number \(number)"
    email = "person\(number)@example.org"
    city = ["Ghent", "Bruges", "Antwerp", "Brussels"][number % 4]
    age = Int64(number % 90)
    score = Double(number) / 7
    isActive = number % 3 == 0
    createdAt = Date(timeIntervalSinceReferenceDate: Double(number) * 60)
  }

  /// A file of these persons.
  static func store(_ path: String, _ persons: [PersonRecord]) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { database in
      try database.execute(sql: table)
      for person in persons { try person.insert(database) }
    }
    return queue
  }

  static let table = """
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, city TEXT,
      age INTEGER NOT NULL, score REAL NOT NULL, isActive INTEGER NOT NULL, createdAt REAL)
    """
}
