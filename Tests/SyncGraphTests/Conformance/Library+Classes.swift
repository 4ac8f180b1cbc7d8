import Foundation
import SyncCore
import SyncGraph

/// The model of the conformance suite as classes with wrappers.
enum Library {
  enum Level: Int16, ValueConvertible {
    case low = 1
    case high
  }

  class Item: ManagedObject {
    override class var isAbstractEntity: Bool { true }
    override class var uniquenessConstraints: [[String]] { [["id"]] }
    override class var fetchIndexes: [FetchIndexDescription] {
      [FetchIndexDescription(name: "byTitle", elements: [.init(property: "title")])]
    }

    @PrimaryKey var id: Int64 = 0
    @Attribute(minimum: 2, maximum: 12, pattern: "[A-Z].*") var title: String?
    @Attribute(remoteKey: "meta.created") var createdAt: Date?
    @ToMany(inverse: "items") var labels: Set<Label>
  }

  final class Book: Item {
    override class var uniquenessConstraints: [[String]] {
      super.uniquenessConstraints + [["shelf", "place"]]
    }
    override class var fetchIndexes: [FetchIndexDescription] {
      super.fetchIndexes + [
        FetchIndexDescription(
          name: "byShelf",
          elements: [.init(property: "shelf"), .init(property: "place", ascending: false)])
      ]
    }

    @Attribute(minimum: 1, maximum: 5000) var pages: Int32 = 100
    @Attribute var shelf: String?
    @Attribute(renamedFrom: "position") var place: Int16?
    @Attribute var level: Level = .low
    @ToOne(inverse: "books") var author: Author?
    @ToMany(inverse: "book", deleteRule: .cascade) var loans: Set<Loan>
  }

  final class Film: Item {
    @Attribute var length: Double = 90
    @ToMany(inverse: "films", deleteRule: .noAction) var programmes: Set<Programme>
  }

  final class Author: ManagedObject {
    @Attribute var name: String
    @ToMany(deleteRule: .deny) var books: Set<Book>
    @ToOne(inverse: "student") var teacher: Author?
    @ToOne(inverse: "teacher") var student: Author?
  }

  final class Loan: ManagedObject {
    @Attribute var reader: String?
    @ToOne(isRequired: true) var book: Book?
  }

  final class Programme: ManagedObject {
    @Attribute var name: String?
    @OrderedToMany(inverse: "programmes", minCount: 1, maxCount: 3) var films: [Film]
  }

  final class Label: ManagedObject {
    @Attribute(isUnique: true) var name: String?
    @ToMany var items: Set<Item>
  }

  /// An attribute of every type: optional, and required with a default.
  final class Sample: ManagedObject {
    static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    @Attribute var integer16: Int16?
    @Attribute var integer32: Int32?
    @Attribute var integer64: Int64?
    @Attribute var decimal: Decimal?
    @Attribute var double: Double?
    @Attribute var float: Float?
    @Attribute var string: String?
    @Attribute var boolean: Bool?
    @Attribute var date: Date?
    @Attribute var binary: Data?
    @Attribute var uuid: UUID?
    @Attribute var uri: URL?
    @Transformable("Library.Numbers") var transformable: [Int]?
    @Attribute(isTransient: true) var transient: String?
    @Attribute(minimum: -5) var integer16Default: Int16 = -3
    @Attribute(minimum: 0.5, maximum: 9.5) var decimalDefault: Decimal = 1.5
    @Attribute(maximum: 10.0) var doubleDefault: Double = 2.5
    @Attribute var stringDefault: String = "x"
    @Attribute var booleanDefault: Bool = true
    @Attribute(minimum: .date(Date(timeIntervalSinceReferenceDate: 0)))
    var dateDefault: Date = Date(timeIntervalSinceReferenceDate: 60)
    @Attribute var binaryDefault: Data = Data([1, 2])
    @Attribute var uuidDefault: UUID = uuid
  }

  static let classes: [ManagedObject.Type] = [
    Item.self, Book.self, Film.self, Author.self, Loan.self, Programme.self, Label.self,
    Sample.self,
  ]
}

/// Subclasses with computed properties over keys instead of wrappers.
extension Library {
  final class HandwrittenBook: ManagedObject {
    override class var entityName: String { "Book" }

    var title: String? {
      get { value(forKey: "title", as: String.self) }
      set { setValue(newValue, forKey: "title") }
    }

    var pages: Int {
      get { value(forKey: "pages", as: Int.self) ?? 0 }
      set { setValue(newValue, forKey: "pages") }
    }

    /// Nothing that is stored.
    var isLong: Bool { pages > 500 }
  }

  final class HandwrittenAuthor: ManagedObject {
    override class var entityName: String { "Author" }

    var name: String {
      get { value(forKey: "name", as: String.self) ?? "" }
      set { setValue(newValue, forKey: "name") }
    }

    var bookTitles: [String] {
      let books = value(forKey: "books") as? Set<ManagedObject> ?? []
      return books.compactMap { $0["title"] as? String }.sorted()
    }
  }

  static let handwritten: [ManagedObject.Type] = [HandwrittenBook.self, HandwrittenAuthor.self]
}
