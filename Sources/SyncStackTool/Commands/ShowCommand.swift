import Foundation
import SyncStack

/// `syncstack show`: shows the objects of a store as tables, and as records where a table would not
/// fit.
struct ShowCommand: Command {
  static let syntax = CommandSyntax(
    name: "show", summary: "Shows what lies in a store.",
    operands: [
      .init("ENTITY", required: false, "the entity to show; all in numbers without it"),
      .init("KEY", required: false, "the object to show, by its primary key, with all it holds"),
    ],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init("--where", value: "PREDICATE", "which objects, as in 'age > 18'"),
      .init("--sort", value: "KEYS", "their order, as in -age,name; that of insertion without it"),
      .init("--limit", value: "N", "how many at most; 50 by default, 0 for all"),
      .init(
        "--records",
        "a line for each property, as on a terminal that is too narrow for the table"),
      .init("--json", "a line of JSON for each entity or object, with its references as keys"),
    ],
    example: "syncstack show User --store app.sqlite --where 'age > 18' --sort=-age,name")

  private let entity: String?
  private let key: String?
  private let store: URL
  private let filter: Filter?
  private let sort: [SortKey]
  private let limit: Int
  private let asRecords: Bool
  private let isJSON: Bool

  init(_ arguments: Arguments) throws {
    entity = arguments.operands.first
    key = arguments.operands.dropFirst().first
    asRecords = arguments.has("--records")
    isJSON = arguments.has("--json")
    if isJSON, asRecords { throw arguments.error("--json and --records exclude each other.") }
    store = URL(filePath: try arguments.required("--store"))
    filter = arguments["--where"].map { Filter(format: $0, arguments: []) }
    sort = (arguments["--sort"] ?? "").split(separator: ",").map { SortKey(String($0)) }
    limit = try arguments.count("--limit") ?? 50
    for option in ["--where", "--sort", "--limit", "--records"] where arguments.has(option) {
      if entity == nil { throw arguments.error("\(option) needs an ENTITY.") }
      if key != nil, option != "--records" {
        throw arguments.error("\(option) and a KEY exclude each other.")
      }
    }
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let model = try Store.keptModel(at: store)
    var configuration = Store.Configuration(.file(store))
    configuration.isReadOnly = true
    let store = try Store(model: model, configuration: configuration)
    defer { try? store.close() }
    if isJSON {
      try writeJSON(of: store, to: terminal)
    } else if let entity, let key {
      try show(key, of: try model.requireEntity(named: entity), of: store, terminal)
    } else if let entity {
      try show(try model.requireEntity(named: entity), of: store, terminal)
    } else {
      terminal.print(try store.read { try overview(of: $0) })
    }
    return .done
  }

  // MARK: - JSON

  private func writeJSON(of store: Store, to terminal: Terminal) throws {
    guard let entity else {
      let lines = try store.read { reader in
        try reader.model.entities.map { entity -> String in
          let count = try reader.count(FetchPlan(entity: entity))
          let line: JSONValue = [
            "entity": .string(entity.name), "objects": .integer(Int64(count)),
            "key": entity.primaryKey.map { .string($0.name) } ?? .null,
          ]
          return "\(line)"
        }
      }
      return terminal.print(lines)
    }
    let description = try store.model.requireEntity(named: entity)
    var options = ExportOptions()
    options.relationshipType = .keys
    options.inflectionType = .camelCase
    options.layout = .lines
    var writer = ExportWriter(options) { terminal.output($0) }
    let plan = FetchPlan(
      entity: description, filter: try key.map { try KeyFilter.of($0, in: description) } ?? filter,
      sort: sort, limit: limit == 0 || key != nil ? nil : limit)
    let plans = MappingPlanCache(transformers: .shared, registry: RuleRegistry())
    let count = try StoreExport(store, plans: plans, options: options).forEach(plan) {
      try writer.write($0)
    }
    try writer.finish()
    if let key, count == 0 { throw missing(key, description) }
  }

  private func missing(_ key: String, _ entity: EntityDescription) -> ToolError {
    ToolError(
      "There is no \(entity.name) with \(entity.primaryKey?.name ?? "the key") “\(key)” in the store."
    )
  }

  // MARK: - All entities

  private func overview(of reader: StoreReader) throws -> TextTable {
    var table = TextTable([
      .init("Entity"), .init("Objects", numeric: true), .init("Key"), .init("Relationships"),
    ])
    for entity in reader.model.entities {
      let count = try reader.count(FetchPlan(entity: entity))
      let relationships = entity.relationships.map { relationship in
        "\(relationship.name) → \(relationship.isToMany ? "many " : "")\(relationship.destinationName)"
      }
      table.add([
        entity.name, Figures.grouped(count), entity.primaryKey?.name ?? "",
        relationships.joined(separator: ", "),
      ])
    }
    return table
  }

  // MARK: - One object

  private func show(
    _ key: String, of entity: EntityDescription, of store: Store, _ terminal: Terminal
  ) throws {
    let plan = FetchPlan(entity: entity, filter: try KeyFilter.of(key, in: entity))
    let records = try store.read {
      try ObjectTable(entity: entity, reader: $0).records(plan)
    }
    guard !records.isEmpty else { throw missing(key, entity) }
    write(records, to: terminal)
  }

  private func write(_ records: [RecordText], to terminal: Terminal) {
    for (number, record) in records.enumerated() {
      if number > 0 { terminal.print() }
      terminal.print(record.lines)
    }
  }

  // MARK: - One entity

  private func show(_ entity: EntityDescription, of store: Store, _ terminal: Terminal) throws {
    let plan = FetchPlan(
      entity: entity, filter: filter, sort: sort, limit: limit == 0 ? nil : limit)
    let (shown, total) = try store.read { reader in
      var all = plan
      (all.limit, all.sort) = (nil, [])
      return (try show(plan, in: reader, terminal), try reader.count(all))
    }
    if shown < total {
      terminal.note(
        "\(Figures.grouped(shown)) of \(Figures.counted(total, "object")); --limit 0 shows all.")
    } else {
      terminal.note(Figures.counted(total, "object") + ".")
    }
    if let comparison = LetterComparison(in: filter, of: entity) { terminal.note("\(comparison)") }
  }

  /// - Returns: How many objects were shown.
  private func show(_ plan: FetchPlan, in reader: StoreReader, _ terminal: Terminal) throws -> Int {
    let objects = ObjectTable(entity: plan.entity, reader: reader)
    if !asRecords {
      let table = try objects.table(plan)
      if terminal.outputWidth.map(table.fits) ?? true {
        terminal.print(table)
        return table.rows.count
      }
    }
    let records = try objects.records(plan)
    write(records, to: terminal)
    return records.count
  }
}
