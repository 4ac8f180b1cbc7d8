import Foundation
import GRDB
import Measuring
import SyncStack

/// The stores of all contenders, filled with the same persons.
struct Scene {
  let options: Options
  let stack: DataStack
  let queue: DatabaseQueue
  let floor: Floor
  private let folder: URL

  init(_ options: Options, _ folder: URL) throws {
    self.options = options
    self.folder = folder
    let persons = (0..<options.objects).map(PersonRecord.init(number:))
    queue = try PersonRecord.store(folder.appending(path: "grdb.sqlite").path, persons)
    let path = folder.appending(path: "floor.sqlite").path
    try PersonRecord.store(path, persons).close()
    floor = try Floor(path: path)
    stack = try DataStack(
      model: ManagedObjectModel(Person.self),
      store: .sqlite(folder.appending(path: "syncstack.sqlite")))
    let context = stack.newBackgroundContext()
    _ = try context.performAndWait {
      try context.batchInsert(
        Person.self,
        persons.map { person in
          [
            "id": person.id, "name": person.name, "email": person.email, "city": person.city,
            "age": person.age, "score": person.score, "isActive": person.isActive,
            "createdAt": person.createdAt,
          ]
        }
      ).count
    }
  }

  // MARK: - Scenarios

  /// The scenarios by their names.
  var scenarios: [(String, () throws -> Table)] {
    [("fetching", fetching), ("saving", saving), ("merging", merging), ("recording", recording)]
  }

  /// All objects, two properties of each.
  func fetching() throws -> Table {
    var table = Table(
      "fetch \(options.objects) objects and read two properties of each",
      ["grdb records", "grdb by position", "syncstack"])
    var sums: Set<Int> = []
    for _ in 0..<options.rounds {
      try table.measure("grdb records") {
        let records = try queue.read { try PersonRecord.fetchAll($0) }
        sums.insert(records.reduce(0) { $0 + Int($1.age) + $1.name.utf8.count })
      }
      try table.measure("grdb by position") {
        let records = try queue.read { try PlainPersonRecord.fetchAll($0) }
        sums.insert(records.reduce(0) { $0 + Int($1.age) + $1.name.utf8.count })
      }
      try table.measure("syncstack") {
        let context = stack.newBackgroundContext()
        let sum = try context.performAndWait {
          try context.fetch(Fetch<Person>()).reduce(0) { $0 + Int($1.age) + $1.name.utf8.count }
        }
        sums.insert(sum)
      }
    }
    guard sums.count == 1 else {
      throw MeasuringError("The contenders read different values: \(sums)")
    }
    // Records as programs write them; those read by position, which is by hand, stand beside for
    // comparison.
    table.limits = [("syncstack", .ratio(1, to: "grdb records"))]
    return table
  }

  /// Two properties of each edited object, one save.
  func saving() throws -> Table {
    var table = Table(
      "save \(options.edited) edited objects",
      ["prepared statements", "grdb", "syncstack: save", "syncstack: edit and save"])
    let count = options.edited
    for round in 0..<options.rounds {
      let edits = (0..<count).map { number in
        (id: Int64(number), name: "Edited \(number) \(round)", age: Int64(number % 90 + round + 1))
      }
      try table.measure("prepared statements") { try floor.update(edits) }
      try floor.fold()
      try table.measure("grdb") {
        try queue.write { database in
          for edit in edits {
            var record = PersonRecord(number: Int(edit.id))
            (record.name, record.age) = (edit.name + "x", edit.age)
            try record.update(database, columns: ["name", "age"])
          }
        }
      }
      let context = stack.newBackgroundContext()
      let (edit, save) = try context.performAndWait {
        let clock = ContinuousClock()
        let persons = try context.fetch(Fetch<Person>("id < \(count)").sorted(by: "id"))
        for person in persons { _ = person.age }
        let start = clock.now
        for (person, edit) in zip(persons, edits) {
          person.name = edit.name
          person.age = edit.age
        }
        let middle = clock.now
        try context.save()
        let end = clock.now
        // A write that changes nothing begins when the log was folded back.
        try context.batchUpdate(Fetch<Person>("id < 0"), ["age": Int64(0)])
        return (start.duration(to: middle), middle.duration(to: end))
      }
      table.add("syncstack: save", save)
      table.add("syncstack: edit and save", edit + save)
    }
    table.limits = [("syncstack: save", .ratio(2, to: "prepared statements"))]
    return table
  }

  /// An import into an empty store, with and without a history of it.
  func recording() throws -> Table {
    var table = Table(
      "import \(options.objects) objects into an empty store", ["without history", "with history"])
    let items = (0..<options.objects).map { number in
      let person = PersonRecord(number: number)
      return [
        "id": .integer(person.id), "name": .string(person.name), "age": .integer(person.age),
        "city": .string(person.city ?? ""), "score": .double(person.score),
      ] as JSONValue
    }
    let payload = JSONValue.array(items).data()
    for round in 0..<options.rounds {
      for isTracked in [false, true] {
        let url = folder.appending(path: "import-\(round)-\(isTracked).sqlite")
        let stack = try DataStack(
          model: ManagedObjectModel(Person.self), store: .sqlite(url), tracksChanges: isTracked)
        let sync = Sync(.data(payload), inEntityNamed: "Person", dataStack: stack)
        try table.measure(isTracked ? "with history" : "without history") {
          sync.start()
          sync.waitUntilFinished()
          guard let report = try sync.result?.get(),
            report.entities["Person"]?.inserted == options.objects
          else { throw MeasuringError("The import went wrong.") }
        }
        try stack.drop()
        try stack.close()
      }
    }
    table.limits = [("with history", .ratio(1.1, to: "without history"))]
    return table
  }

  /// Another one's commit that changed every object, into a context that holds a hundred of them.
  func merging() throws -> Table {
    var table = Table(
      "merge a commit of \(options.objects) objects into a context with 100 objects", ["syncstack"])
    for round in 0..<options.rounds {
      let context = stack.newBackgroundContext()
      let other = stack.newBackgroundContext()
      let duration = try context.performAndWait {
        let held = try context.fetch(Fetch<Person>().limit(100))
        for person in held { _ = person.name }
        // Nothing can be merged here while this block runs, except where the context is entered.
        _ = try other.performAndWait {
          try other.batchUpdate(Fetch<Person>(), ["score": Double(round) + 0.5])
        }
        let clock = ContinuousClock()
        let start = clock.now
        try context.saveIfChanged()
        let end = clock.now
        guard held.allSatisfy({ $0.score == Double(round) + 0.5 }) else {
          throw MeasuringError("The commit was not merged.")
        }
        return start.duration(to: end)
      }
      table.add("syncstack", duration)
    }
    table.limits = [("syncstack", .milliseconds(5))]
    return table
  }
}
