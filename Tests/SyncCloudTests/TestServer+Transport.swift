import Foundation
import SyncCloud
import TestSupport
import Testing

extension TestServer {
  /// A transport for an account of its own.
  static func transport(
    _ kind: Kind, account: String = "u-\(UUID().uuidString.lowercased())"
  ) async throws -> KintoTransport {
    let url = try address(kind)
    let name = try await TestServer.account(account, on: url)
    return try KintoTransport(url, app: "tests", signIn: .password(name, password), timeout: 120)
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs the test where the server can be had; see `TestServer.isAvailable`.
  static func server(_ kind: TestServer.Kind) -> Self {
    .enabled("no server: the output says why") { TestServer.isAvailable(kind) }
  }
}
