import Foundation
import SyncCloud
import SyncStack

/// The options of the commands of remote sync, read before anything is opened.
struct CloudSettings: Sendable {
  /// Where the password stands in the environment.
  static let passwordVariable = "SYNCSTACK_PASSWORD"

  let store: URL
  let model: URL?
  /// Seconds to wait for another process that holds the store.
  let wait: Double
  let isJSON: Bool
  let isQuiet: Bool
  /// Of which entities, by the user info `cloud.scope`.
  let scope: CloudZone.Scope
  private let server: String?
  private let app: String?
  private let user: String?

  static let options: [CommandSyntax.Option] = [
    .init("--store", value: "FILE", required: true, "the SQLite file"),
    .init(
      "--model", value: "MODEL",
      "the model document; the model that the store was made with, unless given"),
    .init(
      "--server", value: "URL",
      "address of the Kinto server, or postgresql://host/database; remembered in the store, as --app and --user are"
    ),
    .init("--app", value: "NAME", "keeps programs on one server apart: letters, digits, - and _"),
    .init(
      "--user", value: "NAME",
      "the account; its password is read from \(passwordVariable) in the environment, or asked for, and "
        + "kept nowhere"),
    scopeOption,
    .init("--json", "the result as a line of JSON"),
    .init("--quiet", "no progress"),
    CommandSyntax.wait,
  ]

  static let scopeOption = CommandSyntax.Option(
    "--scope", value: "private|public",
    "entities of which scope, by the user info cloud.scope; private unless given")

  static func scope(_ arguments: Arguments) throws(UsageError) -> CloudZone.Scope {
    guard let word = arguments["--scope"] else { return .private }
    guard let scope = CloudZone.Scope(rawValue: word) else {
      throw arguments.error("--scope takes private or public, not “\(word)”.")
    }
    return scope
  }

  init(_ arguments: Arguments) throws(UsageError) {
    scope = try Self.scope(arguments)
    store = URL(filePath: try arguments.required("--store"))
    model = arguments["--model"].map { URL(filePath: $0) }
    wait = try arguments.wait()
    isJSON = arguments.has("--json")
    isQuiet = arguments.has("--quiet")
    server = arguments["--server"]
    app = arguments["--app"]
    user = arguments["--user"]
    if let server {
      let url = URL(string: server)
      guard let url, ["http", "https", "postgresql"].contains(url.scheme?.lowercased()),
        url.host() != nil
      else {
        throw arguments.error(
          "--server takes an address as in https://sync.example.com or postgresql://db.example.com/sync, not "
            + "“\(server)”.")
      }
      guard url.user() == nil, url.password() == nil else {
        throw arguments.error(
          "--server takes no name and password: give --user and \(Self.passwordVariable).")
      }
    }
    if let app {
      guard !app.isEmpty,
        app.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
      else { throw arguments.error("--app takes letters, digits, - and _; “\(app)” is none.") }
    }
    if let user {
      // A colon ends the name where the password begins.
      guard !user.isEmpty, !user.contains(":") else {
        throw arguments.error(
          "--user takes the name of an account, without a colon; “\(user)” is none.")
      }
    }
  }

  /// The server, app and user to sync with: those that were given, else those that the store
  /// remembers.
  ///
  /// - Throws: ``UsageError`` that names the options for which there is neither.
  func address(remembered: RemoteAddress?, command: String) throws(UsageError) -> RemoteAddress {
    let known = [
      ("--server URL", server ?? remembered?.server), ("--app NAME", app ?? remembered?.app),
      ("--user NAME", user ?? remembered?.user),
    ]
    let missing = known.filter { $0.1 == nil }.map(\.0)
    guard missing.isEmpty, let server = known[0].1, let app = known[1].1, let user = known[2].1
    else {
      throw UsageError(
        "\(missing.joined(separator: ", ")) \(missing.count == 1 ? "is" : "are") missing: this store "
          + "remembers none yet.", command: command)
    }
    return RemoteAddress(server: server, app: app, user: user)
  }
}
