import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// The conduct of objects, whichever way the model was made and whatever their classes are.
@Suite struct ConformanceTests {
  /// Runs the body in a background context of a new stack.
  private func inContext(
    _ setup: Setup, _ body: @Sendable (ManagedObjectContext, DataStack) throws -> Void
  ) throws {
    let stack = try setup.stack()
    let context = stack.newBackgroundContext()
    try context.performAndWait { try body(context, stack) }
  }

  private func rules(_ body: () throws -> Void) -> [String] {
    do {
      try body()
      return []
    } catch let error as GraphError {
      return error.failures.map { "\($0.key) \($0.rule.rawValue)" }
    } catch {
      return ["\(error)"]
    }
  }

  // MARK: - Attributes

  private static let values: [String: any ValueConvertible & Sendable] = [
    "integer16": Int64(-7), "integer32": Int64(70_000), "integer64": Int64.max,
    "decimal": Decimal(sign: .minus, exponent: -2, significand: 1250), "double": 0.1,
    "float": Double(Float(0.5)), "string": "é\u{301}", "boolean": true,
    "date": Date(timeIntervalSinceReferenceDate: 0.1), "binary": Data([0, 255]), "uuid": UUID(),
    "uri": URL(filePath: "/tmp/a b"),
  ]

  @Test(arguments: Setup.all) func everyTypeOfAttributeComesBack(_ setup: Setup) throws {
    let folder = try TemporaryFolder()
    let stack = try setup.stack(in: folder)
    try stack.inBackground { context in
      let object = try context.make("Sample", ["transformable": [3, 1], "transient": "t"])
      for (key, value) in Self.values { object.setValue(value, forKey: key) }
      try context.save()
      #expect(object["transient"] as? String == "t")
    }
    try stack.inBackground { other in
      let object = try #require(try other.all("Sample").first)
      for (key, value) in Self.values {
        #expect(object.storedValue(forKey: key) == value.storedValue, "\(key)")
      }
      #expect(object["transformable"] as? [Int] == [3, 1])
      #expect(object["transient"] == nil)
      for key in Self.values.keys { object.setValue(nil, forKey: key) }
      object["transformable"] = nil
      try other.save()
      other.reset()
      let empty = try #require(try other.all("Sample").first)
      for key in Self.values.keys { #expect(empty[key] == nil, "\(key)") }
      #expect(empty["transformable"] == nil)
    }
  }

  @Test(arguments: Setup.all) func defaultsAreThereFromTheStart(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let object = try context.make("Sample")
      let book = try context.make("Book")
      let check = {
        #expect(object["integer16Default"] as? Int64 == -3)
        #expect(object["decimalDefault"] as? Decimal == 1.5)
        #expect(object["doubleDefault"] as? Double == 2.5)
        #expect(object["stringDefault"] as? String == "x")
        #expect(object["booleanDefault"] as? Bool == true)
        #expect(object["dateDefault"] as? Date == Date(timeIntervalSinceReferenceDate: 60))
        #expect(object["binaryDefault"] as? Data == Data([1, 2]))
        #expect(object["uuidDefault"] as? UUID == Library.Sample.uuid)
        #expect(object["string"] == nil)
        #expect(book["pages"] as? Int64 == 100 && book["id"] as? Int64 == 0)
      }
      check()
      try context.save()
      context.refresh(object, mergeChanges: false)
      check()
    }
  }

  @Test(arguments: Setup.all) func objectsAreOfTheirClasses(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let book = try context.make("Book", ["title": "Emma", "pages": 600])
      let author = try context.make("Author", ["name": "Jane", "books": [book]])
      switch book {
      case let book as Library.Book:
        #expect(book.title == "Emma" && book.pages == 600 && book.level == .low)
        #expect(book.author?.name == "Jane" && book.author?.books == [book])
        book.pages = 1
        #expect(book["pages"] as? Int64 == 1)
      case let book as Library.HandwrittenBook:
        #expect(book.title == "Emma" && book.isLong)
        #expect((author as? Library.HandwrittenAuthor)?.bookTitles == ["Emma"])
        book.pages = 1
        #expect(book["pages"] as? Int64 == 1 && !book.isLong)
      default:
        #expect(setup.objects == .keys && setup.source != .classes)
        #expect(type(of: book) == ManagedObject.self)
      }
      let loan = try context.make("Loan", ["book": book, "reader": "Ann"])
      if setup.objects != .keys || setup.source == .classes {
        #expect((loan as? Library.Loan)?.reader == "Ann")
      }
      try context.save()
    }
  }

  // MARK: - Rules

  @Test(
    arguments: Setup.all,
    [
      ("A", "title minimum"), ("Abcdefghijklm", "title maximum"), ("emma", "title pattern"),
      ("Emma", nil), ("Emma\n", "title pattern"),
    ] as [(String, String?)])
  func textsHaveLimitsAndPatterns(_ setup: Setup, _ rule: (title: String, broken: String?)) throws {
    try inContext(setup) { context, _ in
      try context.make("Book", ["title": rule.title])
      #expect(rules { try context.save() } == (rule.broken.map { [$0] } ?? []))
    }
  }

  @Test(
    arguments: Setup.all,
    [
      ("integer16Default", -6, "minimum"), ("decimalDefault", 0.25, "minimum"),
      ("decimalDefault", 9.75, "maximum"), ("doubleDefault", 10.5, "maximum"),
      ("integer16Default", -5, nil), ("decimalDefault", 9.5, nil),
      ("stringDefault", nil, "required"),
    ] as [(String, Value, String?)])
  func numbersHaveLimits(_ setup: Setup, _ rule: (key: String, value: Value, broken: String?))
    throws
  {
    try inContext(setup) { context, _ in
      let object = try context.make("Sample")
      object.setValue(rule.value, forKey: rule.key)
      #expect(rules { try context.save() } == (rule.broken.map { ["\(rule.key) \($0)"] } ?? []))
    }
  }

  @Test(arguments: Setup.all) func datesHaveLimitsAndTextsAreRequired(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let object = try context.make(
        "Sample", ["dateDefault": Date(timeIntervalSinceReferenceDate: -1)])
      #expect(rules { try context.save() } == ["dateDefault minimum"])
      context.delete(object)
      try context.make("Author")
      #expect(rules { try context.save() } == ["name required"])
    }
  }

  @Test(arguments: Setup.all) func relationshipsHaveCounts(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let programme = try context.make("Programme")
      #expect(rules { try context.save() } == ["films minimumCount"])
      let films = try (1...4).map { try context.make("Film", ["id": $0]) }
      programme["films"] = films
      #expect(rules { try context.save() } == ["films maximumCount"])
      programme["films"] = Array(films.prefix(3))
      #expect(rules { try context.save() } == [])
      let loan = try context.make("Loan")
      #expect(rules { try context.save() } == ["book required"])
      loan["book"] = try context.make("Book", ["id": 9])
      #expect(rules { try context.save() } == [])
    }
  }

  // MARK: - Uniqueness

  private func isNotUnique(_ context: ManagedObjectContext) -> Bool {
    do {
      try context.save()
      return false
    } catch {
      return (error as? GraphError)?.code == .notUnique
    }
  }

  @Test(arguments: Setup.all) func valuesOccurOnceAndMayBeSwapped(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let labels = try ["a", "b"].map { try context.make("Label", ["name": $0]) }
      try context.save()
      labels[0]["name"] = "b"
      #expect(isNotUnique(context))
      labels[1]["name"] = "a"
      try context.save()
      #expect(try context.all("Label", "name == 'b'") == [labels[0]])
      context.delete(labels[0])
      try context.make("Label", ["name": "b"])
      try context.make("Label", ["name": nil])
      try context.make("Label", ["name": nil])
      try context.save()
      try context.make("Label", ["name": "a"])
      #expect(isNotUnique(context))
    }
  }

  @Test(arguments: Setup.all) func groupsOfValuesOccurOnceAndMayBeSwapped(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let books = try (1...3).map { number in
        try context.make("Book", ["id": number, "shelf": "s", "place": number])
      }
      try context.save()
      books[0]["place"] = 2
      #expect(isNotUnique(context))
      books[1]["place"] = 3
      books[2]["place"] = 1
      try context.save()
      #expect(try context.all("Book", "shelf == 's' AND place == 2") == [books[0]])
      books[0]["shelf"] = nil
      books[1]["place"] = 1
      books[2]["place"] = 1
      books[2]["shelf"] = nil
      try context.save()
    }
  }

  @Test(arguments: Setup.all) func subentitiesShareTheirSuperentitysConstraint(_ setup: Setup)
    throws
  {
    try inContext(setup) { context, _ in
      let book = try context.make("Book", ["id": 1])
      let film = try context.make("Film", ["id": 2])
      try context.save()
      film["id"] = 1
      #expect(isNotUnique(context))
      book["id"] = 2
      try context.save()
    }
  }

  // MARK: - Relationships

  @Test(arguments: Setup.all) func bothSidesAreKeptAndSaved(_ setup: Setup) throws {
    try inContext(setup) { context, stack in
      let book = try context.make("Book", ["id": 1])
      let film = try context.make("Film", ["id": 2])
      let labels = try ["x", "y"].map { try context.make("Label", ["name": $0]) }
      let author = try context.make("Author", ["name": "Jane"])
      let teacher = try context.make("Author", ["name": "Tom"])
      book["author"] = author
      book["labels"] = Set(labels)
      film["labels"] = [labels[1]]
      author["teacher"] = teacher
      let check = {
        #expect(author["books"] as? Set<ManagedObject> == [book])
        #expect(labels[1]["items"] as? Set<ManagedObject> == [book, film])
        #expect(teacher["student"] as? ManagedObject === author)
      }
      check()
      try context.save()
      for object in [book, film, author, teacher] + labels {
        context.refresh(object, mergeChanges: false)
      }
      check()
      let other = try context.make("Author", ["name": "Eve", "books": [book]])
      #expect(book["author"] as? ManagedObject === other)
      #expect((author["books"] as? Set<ManagedObject>)?.isEmpty == true)
    }
  }

  @Test(arguments: Setup.all) func ordersAreKept(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let films = try (1...3).map { try context.make("Film", ["id": $0]) }
      let programme = try context.make("Programme", ["films": [films[2], films[0]]])
      try context.save()
      context.refresh(programme, mergeChanges: false)
      #expect(programme["films"] as? [ManagedObject] == [films[2], films[0]])
      programme["films"] = [films[1], films[0], films[2]]
      try context.save()
      context.refresh(programme, mergeChanges: false)
      #expect(programme["films"] as? [ManagedObject] == [films[1], films[0], films[2]])
    }
  }

  @Test(arguments: Setup.all) func deleteRulesHold(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let book = try context.make("Book", ["id": 1])
      let author = try context.make("Author", ["name": "Jane", "books": [book]])
      let label = try context.make("Label", ["name": "x", "items": [book]])
      try context.make("Loan", ["book": book])
      try context.save()
      // Deny names the object in the way.
      context.delete(author)
      let error = #expect(throws: GraphError.self) { try context.save() }
      #expect(error?.code == .deletionDenied && error?.objects == [book.objectID])
      context.rollback()
      // Cascade takes the loans along, nullify forgets the book.
      context.delete(book)
      #expect((label["items"] as? Set<ManagedObject>)?.isEmpty == true)
      try context.save()
      #expect(try context.all("Loan").isEmpty && context.all("Label") == [label])
      context.delete(author)
      try context.save()
      #expect(try context.all("Author").isEmpty)
    }
  }

  // MARK: - Entities

  @Test(arguments: Setup.all) func abstractEntitiesHaveNoObjectsOfTheirOwn(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let error = #expect(throws: GraphError.self) { try context.insert(entityNamed: "Item") }
      #expect(error?.message.contains("Book") == true && error?.message.contains("Film") == true)
      try context.make("Book", ["id": 2, "title": "Emma"])
      try context.make("Film", ["id": 1, "title": "Zulu"])
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        #expect(try context.all("Item", sortedBy: "id").map(\.entity.name) == ["Film", "Book"])
        #expect(try context.all("Item", "title == 'Emma'").map(\.entity.name) == ["Book"])
        #expect(try context.all("Film").count == 1)
      }
    }
  }

  @Test(arguments: Setup.all) func fetchesUseTheModelsIndexes(_ setup: Setup) throws {
    try inContext(setup) { context, stack in
      try context.make("Book", ["id": 1, "shelf": "s", "place": 3])
      try context.save()
      let indexes = try stack.store.read { try $0.indexNames() }
      #expect(
        indexes.contains { $0.contains("byTitle") } && indexes.contains { $0.contains("byShelf") })
    }
  }

  // MARK: - Fetching

  @Test(arguments: Setup.all) func fetchesSeeSavedAndUnsavedObjects(_ setup: Setup) throws {
    try inContext(setup) { context, _ in
      let author = try context.make("Author", ["name": "Jane"])
      for number in 1...5 {
        try context.make(
          "Book",
          ["id": number, "pages": number * 100, "author": number % 2 == 0 ? author : nil])
      }
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        let ids = { (format: String) in
          try context.all("Book", format, sortedBy: "id").map { $0["id"] as? Int64 }
        }
        #expect(try ids("pages > 300") == [4, 5])
        #expect(try ids("author.name == 'Jane'") == [2, 4])
        #expect(try ids("author == nil AND pages BETWEEN {200, 400}") == [3])
        #expect(try context.all("Author", "ANY books.pages == 400") == [author])
        #expect(try context.all("Author", "books.@count == 2") == [author])
        #expect(try context.all("Author", "books.@sum.pages == 600") == [author])
      }
    }
  }

  @Test(arguments: Setup.all) func changesAreSeenElsewhereAndRolledBack(_ setup: Setup) throws {
    try inContext(setup) { context, stack in
      let book = try context.make("Book", ["id": 1, "title": "Emma"])
      try context.save()
      book["title"] = "Persuasion"
      #expect(book.changedValues().keys.sorted() == ["title"])
      #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "Emma")
      context.rollback()
      #expect(book["title"] as? String == "Emma" && !context.hasChanges)
      let id = book.objectID
      try stack.edit { try $0.existingObject(with: id)["title"] = "Sanditon" }
    }
  }
}
