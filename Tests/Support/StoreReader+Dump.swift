@testable package import SyncStore

extension StoreReader {
  /// The content of every table as text: by table name, one line per row. For
  /// tests that compare two states of a store.
  ///
  /// - Complexity: reads the whole store.
  package func dump() throws -> [String: [String]] {
    try prepareToRead()
    let tables = try connection.statement(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    var names: [String] = []
    while try tables.step() { names.append(tables.text(0)) }
    var result: [String: [String]] = [:]
    for name in names {
      let text = "'\(name.replacing("'", with: "''"))'"
      let columns = try connection.scalar("SELECT count(*) FROM pragma_table_info(\(text))") ?? 0
      let statement = try connection.ownedStatement("SELECT * FROM \(Identifier(name).quoted)")
      var lines: [String] = []
      while try statement.step() {
        let fields = (0..<Int(columns)).map { column in
          statement.isNull(column) ? "-" : "\(statement.value(column))"
        }
        lines.append(fields.joined(separator: " | "))
      }
      result[name] = lines.sorted()
    }
    return result
  }

  /// Names of the indexes that the file has, ascending.
  package func indexNames() throws -> [String] {
    try prepareToRead()
    let statement = try connection.statement(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    var names: [String] = []
    while try statement.step() { names.append(statement.text(0)) }
    return names
  }

  /// How the tables and indexes of the model were made, in the order of their names.
  package func schema() throws -> [String] {
    try prepareToRead()
    let statement = try connection.statement(
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE '\\_syncstack%' "
        + "ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
    var texts: [String] = []
    while try statement.step() { texts.append(statement.text(0)) }
    return texts
  }
}
