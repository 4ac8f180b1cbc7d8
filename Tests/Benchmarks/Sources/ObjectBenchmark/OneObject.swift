import Foundation
import GRDB
import Measuring
import SyncStack

/// One object at a time, as the messages of a WebSocket and the pages of a chat bring them: each
/// round is one request, one transaction and one object, in stores of 10,000.
struct OneObject {
  private let stack: DataStack
  /// A stack whose model has thirty entities, each with a relationship to the next.
  private let wide: DataStack
  private let pool: DatabasePool
  private let rounds: Int
  private let size = 10_000
  private let decoder: JSONDecoder
  private var table: Table

  init(_ options: Options, _ folder: URL) throws {
    rounds = options.rounds * 200
    let persons = (0..<size).map(PersonRecord.init(number:))
    let path = folder.appending(path: "one.grdb.sqlite").path
    try PersonRecord.store(path, persons).close()
    pool = try DatabasePool(path: path)
    stack = try DataStack(
      model: ManagedObjectModel(Person.self), store: .sqlite(folder.appending(path: "one.sqlite")))
    wide = try DataStack(
      model: OneObject.wideModel(), store: .sqlite(folder.appending(path: "wide.sqlite")))
    decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    table = Table(
      "one object at a time, \(rounds) rounds beside \(size) stored (microseconds)",
      OneObject.pairs.flatMap { [$0.grdb, $0.name] } + [
        OneObject.onQueue, OneObject.inBlock, OneObject.emptyOperation, OneObject.inWideModel,
      ],
      unit: 1e6)
    table.limits = OneObject.pairs.map { ($0.name, .ratio($0.most, to: $0.grdb)) }
    table.limits.append((OneObject.inWideModel, .ratio(2.8, to: "grdb, changed")))
    table.limits.append((OneObject.onQueue, .ratio(1.15, to: OneObject.inBlock)))
    let payload =
      "[" + (0..<size).map { text($0, "Person number \($0)") }.joined(separator: ",") + "]"
    try stack.sync(Data(payload.utf8), inEntityNamed: "Person")
  }

  /// The rows of the table: a job, that of GRDB which it is held against, and how much of its time
  /// it may take.
  private static let pairs: [(name: String, grdb: String, most: Double)] = [
    ("sync, changed", "grdb, changed", 1.1),
    ("sync, unchanged", "grdb, unchanged", 0.9),
    ("sync, new", "grdb, new", 1.2),
    ("save an edit", "grdb, save an edit", 1.8),
    ("save a new object", "grdb, save a new object", 2.2),
    ("fetch by key", "grdb, fetch by key", 0.7),
  ]

  private static let onQueue = "sync on a queue, changed"
  /// The price of Foundation's queue and of another thread, whose caches have nothing of the store:
  /// a direct sync inside an operation of Foundation's own, and an operation without any work.
  private static let inBlock = "sync in a block on a queue, changed"
  private static let emptyOperation = "an empty operation on a queue"
  private static let inWideModel = "sync, changed, thirty linked entities"

  private static func wideModel() throws -> ManagedObjectModel {
    let count = 30
    return try ManagedObjectModel(
      (0..<count).map { number in
        EntityDraft(
          "Entity\(number)",
          [
            .attribute("id", .integer64),
            .toOne("next", to: "Entity\((number + 1) % count)", inverse: "before"),
            .toMany("before", to: "Entity\((number + count - 1) % count)", inverse: "next"),
          ] + (0..<8).map { .attribute("text\($0)", .string) })
      })
  }

  private func text(_ number: Int, _ name: String) -> String {
    let city = ["Ghent", "Bruges", "Antwerp", "Brussels"][number % 4]
    return """
      {"id":\(number),"name":"\(name)","email":"person\(number)@example.org","city":"\(city)",\
      "age":\(number % 90),"score":\(Double(number % 700) / 7),"is_active":\(number % 3 == 0),\
      "created_at":"2024-05-\(10 + number % 20)T08:30:00Z"}
      """
  }

  func measure() throws -> Table {
    var table = table
    let context = stack.newBackgroundContext()
    for round in 0..<rounds {
      let number = round * 7 % size
      let changed = Data("[\(text(number, "Changed \(round)"))]".utf8)
      try table.measure("grdb, changed") { try store(changed) }
      try table.measure("sync, changed") { try sync(changed) }
      try table.measure("grdb, unchanged") { try store(changed) }
      try table.measure("sync, unchanged") { try sync(changed) }
      let new = Data("[\(text(size * 2 + round, "New"))]".utf8)
      try table.measure("grdb, new") { try store(new) }
      try table.measure("sync, new") { try sync(new) }
      let queued = Data("[\(text(number, "Queued \(round)"))]".utf8)
      try table.measure(OneObject.onQueue) {
        let sync = Sync(queued, inEntityNamed: "Person", dataStack: stack)
        sync.operations = [.insert, .update]
        stack.syncQueue.addOperations([sync], waitUntilFinished: true)
        _ = try sync.result?.get()
      }
      let queue = stack.syncQueue
      let inBlock = Data("[\(text(number, "In block \(round)"))]".utf8)
      table.measure(OneObject.inBlock) {
        let sync = BlockOperation { [self] in _ = try? self.sync(inBlock) }
        queue.addOperations([sync], waitUntilFinished: true)
      }
      table.measure(OneObject.emptyOperation) {
        queue.addOperations([BlockOperation {}], waitUntilFinished: true)
      }
      let narrow = Data(#"[{"id":1,"text1":"Changed \#(round)"}]"#.utf8)
      try table.measure(OneObject.inWideModel) {
        try wide.sync(narrow, inEntityNamed: "Entity1", operations: [.insert, .update])
      }
      try edit(number, round, in: context, &table)
    }
    return table
  }

  /// An object is fetched by its key, edited and saved, and another one is made and saved.
  private func edit(
    _ number: Int, _ round: Int, in context: ManagedObjectContext, _ table: inout Table
  ) throws {
    guard
      var record = try table.measure(
        "grdb, fetch by key", { try pool.read { try PersonRecord.fetchOne($0, key: number) } })
    else { throw MeasuringError("GRDB has no person \(number).") }
    record.name = "Edited \(round)"
    try table.measure("grdb, save an edit") { try pool.write { try record.update($0) } }
    var new = PersonRecord(number: size * 3 + round)
    new.id = Int64(size * 3 + round)
    try table.measure("grdb, save a new object") { try pool.write { try new.insert($0) } }
    try context.performAndWait {
      guard
        let person = try table.measure(
          "fetch by key", { try context.fetch(Fetch<Person>(Filter("id == %@", number))).first })
      else { throw MeasuringError("SyncStack has no person \(number).") }
      person.name = "Edited \(round)"
      try table.measure("save an edit") { try context.save() }
      let object = Person(context: context)
      (object.id, object.name, object.email) = (new.id, new.name, new.email)
      (object.city, object.age, object.score) = (new.city, new.age, new.score)
      (object.isActive, object.createdAt) = (new.isActive, new.createdAt)
      try table.measure("save a new object") { try context.save() }
      context.reset()
    }
  }

  private func sync(_ data: Data) throws {
    try stack.sync(data, inEntityNamed: "Person", operations: [.insert, .update])
  }

  /// Decodes, fetches, compares and writes.
  private func store(_ data: Data) throws {
    let records = try decoder.decode([PersonRecord].self, from: data)
    try pool.write { database in
      for record in records {
        guard let stored = try PersonRecord.fetchOne(database, key: record.id) else {
          try record.insert(database)
          continue
        }
        try record.updateChanges(database, from: stored)
      }
    }
  }
}
