import Foundation
import SyncCore

/// The value of `Authorization`. Of credentials that a closure renews, one call at a time asks for
/// new ones, and those that waited for it take the same.
final class KintoCredentials: Sendable {
  private let signIn: KintoTransport.SignIn
  private let renewed = Locked<String?>(nil)
  private let turn = CloudTurn()

  init(_ signIn: KintoTransport.SignIn) {
    self.signIn = signIn
  }

  /// Whether there may be others when these are refused.
  var areRenewed: Bool { if case .renewed = signIn { true } else { false } }

  /// - Parameter refused: The value that the server has refused; nil when it was not asked.
  func header(refused: String?) async throws -> String {
    guard case .renewed(let renew) = signIn else { return try Self.header(of: signIn) }
    return try await turn.run {
      if let known = renewed.withLock({ $0 }), known != refused { return known }
      let header = try Self.header(of: try await renew())
      renewed.withLock { $0 = header }
      return header
    }
  }

  private static func header(of signIn: KintoTransport.SignIn) throws -> String {
    switch signIn {
    case .password(let name, let password):
      return "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
    case .token(let token): return "Bearer \(token)"
    case .renewed:
      throw CloudError(
        .unsupported,
        message: "The closure of a sign-in gives another closure. Return .password or .token.")
    }
  }
}
