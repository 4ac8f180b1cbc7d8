/// Where a store is synced, for programs that keep no settings of their own. Never the password.
package struct RemoteAddress: Sendable, Hashable {
  /// Address of the server.
  package var server: String
  /// The name that keeps programs on one server apart.
  package var app: String
  /// Name of the account.
  package var user: String

  package init(server: String, app: String, user: String) {
    self.server = server
    self.app = app
    self.user = user
  }
}

extension StoreReader {
  /// The remembered address; nil when there is none.
  package func remoteAddress() throws -> RemoteAddress? {
    try prepareToRead()
    let metadata = Metadata(connection: connection)
    guard let server = try metadata.text(.remoteServer), let app = try metadata.text(.remoteApp),
      let user = try metadata.text(.remoteUser)
    else { return nil }
    return RemoteAddress(server: server, app: app, user: user)
  }
}

extension StoreTransaction {
  /// Remembers where the store is synced.
  package func setRemoteAddress(_ address: RemoteAddress) throws {
    let metadata = Metadata(connection: connection)
    try metadata.set(.remoteServer, address.server)
    try metadata.set(.remoteApp, address.app)
    try metadata.set(.remoteUser, address.user)
  }
}
