public import Foundation
import SyncCore

/// Why remote sync could not go on, and what to do about it. Everything that was to be sent is
/// still waiting.
public struct CloudError: Error, Sendable {
  /// Why it could not go on. An engine that runs by itself tries again where that helps.
  public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
    /// No connection, or no answer in time, or one that makes no sense: nothing is known about what
    /// was asked.
    case unreachable
    /// The server is busy and says when to come again; see ``CloudError/retryAfter``.
    case busy
    /// The server does not know who asks, or the password is wrong.
    case notSignedIn
    /// Somebody else is signed in than when the store was first synced.
    case accountChanged
    /// The account may not do that.
    case forbidden
    /// What belongs to the account alone is somebody else's on the server, or others may read it.
    case notOwner
    /// The zone is not there.
    case zoneMissing
    /// The zone was removed, or removed and made again, since it was last synced.
    case zoneReplaced
    /// The place in the changes is none that the server knows.
    case tokenRefused
    /// A batch or a record is larger than the server takes.
    case tooLarge
    /// The server takes no changes at present.
    case readOnly
    /// The service has ended for good.
    case endOfService
    /// The server sent on to another one, which was not followed.
    case redirected
    /// The store or the model cannot be synced like this.
    case unsupported
    /// A pull would delete most of what is here; see ``CloudEngine/deletionGuard``.
    case deletionRefused
    /// The object has edits that were not sent yet.
    case unsent
    /// There is no such object or record to do that to.
    case notFound
    /// A file cannot be read or written on this machine.
    case file
  }

  /// Why it could not go on.
  public let code: Code

  /// A sentence that says what is wrong and what to do.
  public let message: String

  /// Seconds before which the server must not be asked again, at most a day; nil when it did not
  /// say.
  public let retryAfter: Double?

  /// When the server may be asked again; nil when it did not say.
  public let retryDate: Date?

  /// Whether what should answer is not there: no server at the address, no such database, no
  /// functions in it. Coming again at once does not help, unless it was there a moment ago; later
  /// it may be back.
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

  /// What programs can do about a zone or an account that is another one.
  package static let zoneAdvice =
    "uploadEverything() sends all objects of this store to what is there now; replaceLocal() takes what is there in "
    + "their place."

  /// Whether it is a matter of one zone, so that others go on.
  var isOfZone: Bool {
    switch code {
    case .zoneMissing, .zoneReplaced, .forbidden, .readOnly, .deletionRefused: true
    default: false
    }
  }

  /// Whether coming again does not help before a person has done something.
  var needsSomebody: Bool {
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
