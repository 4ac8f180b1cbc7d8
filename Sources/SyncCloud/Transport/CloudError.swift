public import Foundation
import SyncCore

/// Why remote sync could not go on, and what to do about it. All unsent edits are still waiting.
public struct CloudError: Error, Sendable {
  /// Why it could not go on. An engine that runs by itself tries again where that helps.
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    /// No connection, or no answer in time, or one that makes no sense: the outcome of the request
    /// is not known. Ask again later.
    case unreachable
    /// The server is busy and says when to come again; see ``CloudError/retryAfter``.
    case busy
    /// The server does not know the account, or the password is wrong. Sign in anew, then call
    /// ``CloudEngine/wake()``.
    case notSignedIn
    /// Another account is signed in than when the store was first synced. Sign in as before, use
    /// another store, or choose as for ``zoneReplaced``.
    case accountChanged
    /// The account may not do that. Its owner, or an administrator of the server, gives the right.
    case forbidden
    /// The private zone of the account is another account's on the server, or others may read it.
    /// Give the app another name on that server.
    case notOwner
    /// The zone is not there: no engine has synced with it yet, or it was removed.
    case zoneMissing
    /// The zone was removed, or removed and made again, since it was last synced. Choose:
    /// ``CloudEngine/uploadEverything()``, or ``CloudEngine/replaceLocal()``.
    case zoneReplaced
    /// The place in the changes is none that the server knows. An engine reads the zone from its
    /// beginning by itself.
    case tokenRefused
    /// A batch or a record is larger than the server takes. Keep large values in files.
    case tooLarge
    /// The server takes no changes at present. Edits wait; push again later.
    case readOnly
    /// The service has ended for good. Use another server.
    case endOfService
    /// The server sent on to another one, which was not followed. Give its address.
    case redirected
    /// The store or the model cannot be synced like this; the message names the obstacle.
    case unsupported
    /// A pull would delete most of the objects here. Where that is meant, change
    /// ``CloudEngine/deletionGuard``.
    case deletionRefused
    /// The object has edits that were not sent yet. Push first.
    case unsent
    /// There is no such object or record to do that to. Save or pull it first.
    case notFound
    /// A file cannot be read or written on this machine. Look at its rights and the free space.
    case file
  }

  /// Why it could not go on.
  public let code: Code

  /// A sentence that names the obstacle and says what to do.
  public let message: String

  /// Seconds before which the server must not be asked again, at most a day; nil when it did not
  /// say.
  public let retryAfter: Double?

  /// When the server may be asked again; nil when it did not say.
  public let retryDate: Date?

  /// Whether the other end is missing: no server at the address, no such database, no functions in
  /// it. Coming again at once does not help, unless it was there a moment ago; later it may be
  /// back.
  let isClosed: Bool

  public init(_ code: Code, message: String, retryAfter: Double? = nil) {
    self.init(code, message: message, retryAfter: retryAfter, isClosed: false)
  }

  init(_ code: Code, message: String, retryAfter: Double? = nil, isClosed: Bool) {
    self.code = code
    self.message = message
    self.retryAfter = retryAfter.map(Seconds.clamped)
    retryDate = self.retryAfter.map { Date(timeIntervalSinceNow: $0) }
    self.isClosed = isClosed
  }

  /// The ways out for a program when a zone or an account is another one.
  package static let zoneAdvice =
    "uploadEverything() sends all objects of this store to the server; replaceLocal() takes the server's objects in "
    + "their place."

  /// Whether it is a matter of one zone, so that others go on.
  var isOfZone: Bool {
    switch code {
    case .zoneMissing, .zoneReplaced, .forbidden, .readOnly, .deletionRefused: true
    default: false
    }
  }

  /// Whether coming again does not help before a person has done something.
  var needsPerson: Bool {
    switch code {
    case .unsupported: !isClosed
    case .notSignedIn, .accountChanged, .notOwner, .zoneReplaced, .endOfService, .redirected,
      .deletionRefused:
      true
    case .unreachable, .busy, .forbidden, .zoneMissing, .tokenRefused, .tooLarge, .readOnly,
      .unsent, .notFound, .file:
      false
    }
  }

  /// Whether the same request may well succeed a little later.
  public var isTemporary: Bool { code == .unreachable || code == .busy }
}

extension CloudError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
