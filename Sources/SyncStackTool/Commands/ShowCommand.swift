import Foundation
import SyncStack

/// `syncstack show`: what lies in a store, as tables.
struct ShowCommand: Command {
  static let syntax = CommandSyntax(
    name: "show", summary: "Shows what lies in a store.",
    operands: [.init("ENTITY", required: false, "the entity to show; all in numbers without it")],
    options: [
      .init("--store", value: "FILE", required: true, "the SQLite file"),
      .init("--where", value: "PREDICATE", "which objects, as in 'age > 18'"),
      .init("--sort", value: "KEYS", "their order, as in -age,name; that of insertion without it"),
      .init("--limit", value: "N", "how many at most; 50 by default, 0 for all"),
    ])

  private let entity: String?
  private let store: URL
  private let filter: Filter?
  private let sort: [SortKey]
  private let limit: Int

  init(_ arguments: Arguments) throws {
    entity = arguments.operands.first
    store = URL(filePath: try arguments.required("--store"))
    filter = arguments["--where"].map { Filter(format: $0, arguments: []) }
    sort = (arguments["--sort"] ?? "").split(separator: ",").map { SortKey(String($0)) }
    limit = try arguments.count("--limit") ?? 50
    if entity == nil, filter != nil || !sort.isEmpty {
      throw arguments.error("--where and --sort need an ENTITY.")
    }
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    let model = try Store.keptModel(at: store)
    var configuration = Store.Configuration(.file(store))
    configuration.isReadOnly = true
    let store = try Store(model: model, configuration: configuration)
    defer { try? store.close() }
    if let entity {
      try show(try model.requireEntity(named: entity), of: store, terminal)
    } else {
      terminal.print(try store.read { try overview(of: $0) })
    }
    return .done
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

  // MARK: - One entity

  private func show(_ entity: EntityDescription, of store: Store, _ terminal: Terminal) throws {
    let plan = FetchPlan(
      entity: entity, filter: filter, sort: sort, limit: limit == 0 ? nil : limit)
    let (table, total) = try store.read { reader in
      var all = plan
      (all.limit, all.sort) = (nil, [])
      return (try ObjectTable(entity: entity, reader: reader).table(plan), try reader.count(all))
    }
    terminal.print(table)
    if table.rows.count < total {
      terminal.note(
        "\(Figures.grouped(table.rows.count)) of \(Figures.counted(total, "object")); "
          + "--limit 0 shows all.")
    } else {
      terminal.note(Figures.counted(total, "object") + ".")
    }
  }
}
