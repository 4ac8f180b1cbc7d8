import SyncCloud
import SyncStack

/// `syncstack cloud install-sql`: prints the SQL that makes a database a server of remote sync.
struct CloudCommand: Command {
  static let syntax = CommandSyntax(
    name: "cloud", summary: "Prints the SQL that makes PostgreSQL a server of remote sync.",
    operands: [
      .init(
        "install-sql", required: true,
        "for psql, once, and again after an update: syncstack cloud install-sql | psql -d DATABASE"
      )
    ],
    options: [],
    example: "syncstack cloud install-sql > syncstack.sql")

  init(_ arguments: Arguments) throws {
    guard arguments.operands.first == "install-sql" else {
      throw arguments.error("Say what is wanted: syncstack cloud install-sql.")
    }
  }

  func run(terminal: Terminal) async throws -> ExitCode {
    terminal.print(PostgreSQLTransport.schema)
    return .done
  }
}
