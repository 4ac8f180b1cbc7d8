import SyncCore

/// Why a statement, or a connection, failed.
struct PostgreSQLFailure: Error {
  /// The code, of five letters and digits
  /// (https://www.postgresql.org/docs/current/errcodes-appendix.html); nil without an answer.
  private let state: String?
  private let message: String

  /// Whether the connection is of no use any more.
  let isOfConnection: Bool

  /// - Parameter password: The text that the message must not repeat.
  init(
    _ result: LibPQ.Result?, _ connection: LibPQ.Connection, _ library: LibPQ,
    hiding password: String?
  ) {
    func field(_ code: CInt) -> String? {
      library.resultErrorField(result, code).map { String(cString: $0) }
    }
    let text =
      field(LibPQ.primaryMessage)
      ?? library.errorMessage(connection).map { String(cString: $0) } ?? ""
    self.init(
      state: field(LibPQ.sqlState) ?? Self.state(ofRefusal: text), message: text, hiding: password,
      isOfConnection: result == nil || library.status(connection) != LibPQ.isConnected)
  }

  init(
    state: String?, message: String, hiding password: String? = nil, isOfConnection: Bool = false
  ) {
    self.state = state
    self.isOfConnection = isOfConnection || Self.ends.contains(state ?? "")
    var message = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    if let password, !password.isEmpty { message = message.replacing(password, with: "…") }
    self.message = message
  }

  /// The server ends, or has ended, the connection.
  private static let ends: Set<String> = [
    "57P01", "57P02", "57P03", "57P05", "08P01", "08006", "08003",
  ]

  /// The code of a connection that was refused, which libpq tells by its text only. Names of roles
  /// and databases stand in some of them, so the order counts.
  static func state(ofRefusal text: String) -> String? {
    let states = [
      ("too many c", "53300"), ("remaining connection slots", "53300"),
      ("permission denied for database", "42501"), ("not currently accepting", "57P03"),
      ("the database system is", "57P03"), ("password authentication failed", "28P01"),
      ("no password supplied", "28P01"), ("no pg_hba.conf entry", "28000"),
      ("database \"", "3D000"), ("role \"", "28000"), ("certificate", "08001"),
      ("does not support SSL", "08001"),
    ]
    return states.first { text.contains($0.0) }?.1
  }

  /// Whether other transactions came in between, so that nothing was done: serialization failures,
  /// deadlocks.
  var isOfOthers: Bool { state == "40001" || state == "40P01" }

  /// The error as the engine reports it.
  var error: CloudError {
    switch state {
    case "SY400": CloudError(.unsupported, message: message)
    case "SY401": CloudError(.notSignedIn, message: message)
    case "42501" where isOfConnection:
      CloudError(
        .forbidden,
        message:
          "The account has not the right CONNECT on the database. Its owner gives it: grant connect on database … to …. "
          + "(\(message))")
    case "SY403", "42501":
      CloudError(.forbidden, message: "The account may not do that. (\(message))")
    case "SY404": CloudError(.zoneMissing, message: message)
    case "SY410": CloudError(.tokenRefused, message: message)
    case "SY413", "54000": CloudError(.tooLarge, message: message)
    case "28000", "28P01":
      CloudError(.notSignedIn, message: "PostgreSQL does not let this account in. (\(message))")
    case "3D000":
      // Dropped, and perhaps about to be restored.
      CloudError(
        .unreachable, message: "PostgreSQL has no such database. (\(message))", isClosed: true)
    case "08001":
      CloudError(
        .unsupported,
        message:
          "The connection to PostgreSQL is not as safe as sslmode demands. In the connection string sslrootcert names the file "
          + "with the certificate of the authority that signed the server's, and the host is the one in the server's certificate. (\(message))"
      )
    case "3F000", "42883", "42P01", "42704":
      CloudError(
        .unsupported,
        message:
          "The database has not the functions that this version calls. Its owner installs them: "
          + "syncstack cloud install-sql | psql -d DATABASE. (\(message))", isClosed: true)
    case "25006":
      CloudError(.readOnly, message: "The database takes no changes at present. (\(message))")
    case "53100", "53200", "53300", "53400", "55P03":
      CloudError(
        .busy, message: "PostgreSQL is busy. Sync again later. (\(message))", retryAfter: 2)
    case let state? where state.hasPrefix("22") || state.hasPrefix("23"):
      CloudError(
        .unsupported, message: "PostgreSQL cannot keep a value that was sent. (\(message))")
    default:
      // No server listens, the line was cut, or the code has no case above: nothing is known.
      CloudError(
        .unreachable, message: "PostgreSQL did not answer. Sync again later. (\(message))",
        isClosed: message.contains("Connection refused"))
    }
  }
}
