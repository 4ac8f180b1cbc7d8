import SyncCore

/// The place of a database and the role that signs in: a connection string of libpq
/// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING), as an address or
/// as parameters.
struct PostgreSQLAddress: Sendable {
  private let text: String

  /// The password in the text, which no error may repeat.
  let password: String?

  /// How many hosts it names, which are tried one after the other; at least 1.
  let hosts: Int

  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` for a text that libpq cannot
  ///   read, and where there is no libpq. The error does not repeat the text, which may hold a
  ///   password.
  init(_ text: String) throws {
    let library = try LibPQ.load()
    guard text.contains("=") || text.contains("://"),
      let options = text.withCString({ library.conninfoParse($0, nil) })
    else {
      throw CloudError(
        .unsupported,
        message:
          "The connection string is none that libpq can read: postgresql://user@host/database is one, and "
          + "“host=… dbname=… user=…”. Characters of a password that are no letters or digits are written %XX in the first form."
      )
    }
    defer { library.conninfoFree(options) }
    var values: [String: String] = [:]
    var option = options.assumingMemoryBound(to: LibPQ.Option.self)
    while let keyword = option.pointee.keyword {
      values[String(cString: keyword)] = option.pointee.value.map { String(cString: $0) }
      option += 1
    }
    self.text = text
    password = values["password"]
    let places = values["hostaddr"] ?? values["host"] ?? ""
    hosts = places.count { $0 == "," } + 1
  }

  /// Opens a connection, and waits for that. The text overrides these defaults: ten seconds to
  /// connect to a host, fewer when silence is not waited for as long, and a line that is found dead
  /// within a minute.
  ///
  /// - Parameter silence: Seconds of silence that are waited for.
  func connect(_ library: LibPQ, within silence: Double) throws -> LibPQ.Connection {
    let limit = Int(max(2, min(silence.rounded(.up), 10)))
    let names = [
      "application_name", "connect_timeout", "tcp_user_timeout", "client_encoding", "dbname",
    ]
    let values = ["SyncStack", "\(limit)", "60000", "UTF8", text]
    // The last one holds a whole connection string, whose parameters count more than those before
    // it.
    let connection = CTexts(names).withPointer { names in
      CTexts(values).withPointer { library.connectdbParams(names, $0, 1) }
    }
    guard let connection else {
      throw CloudError(.unreachable, message: "There is no memory for a connection to PostgreSQL.")
    }
    guard library.status(connection) == LibPQ.isConnected else {
      defer { library.finish(connection) }
      throw PostgreSQLFailure(nil, connection, library, hiding: password)
    }
    return connection
  }
}
