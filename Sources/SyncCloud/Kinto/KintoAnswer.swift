import Foundation
import SyncCore

/// An answer of a Kinto server, and the meaning of its status.
///
/// A status alone is not believed where it would say something about records: proxies and portals
/// answer with any of them. Kinto's own errors have a number
/// (https://docs.kinto-storage.org/en/stable/api/1.x/errors.html).
struct KintoAnswer {
  let status: Int
  private let content: Data
  private let answer: HTTPClient.Answer

  /// How long it took, in milliseconds.
  private let duration: Int64

  init(_ answer: HTTPClient.Answer, after duration: Duration) {
    status = answer.status
    content = answer.body
    self.answer = answer
    self.duration = Int64(Seconds.clamped(duration / .seconds(1)) * 1000)
  }

  func header(_ name: String) -> String? { answer.header(name) }

  /// The number of Kinto's error; nil when it is none of Kinto's.
  var errno: Int64? { (try? body())?["errno"]?.integerValue }

  /// Whether the thing that was asked for is not there. A bucket that is not there is forbidden, as
  /// one of another account is.
  var isMissing: Bool {
    switch status {
    case 404: errno == 110 || errno == 111
    case 403: errno == 121
    default: false
    }
  }

  /// Whether the server does not know the account.
  var isAnonymous: Bool { (try? json())?["user"] == nil && status == 200 }

  /// Whether parts of a batch were refused because the server does not know the account.
  var hasRefusedParts: Bool {
    (try? json())?["responses"]?.arrayValue?.contains { $0["status"]?.integerValue == 401 } ?? false
  }

  /// The mark of the newest version in a list, in milliseconds since 1970.
  var newest: Int64? {
    header("ETag").flatMap { Int64($0.filter { $0 != "\"" }) }.flatMap(Self.time)
  }

  /// A time that the server's clock had passed when it began to answer, in milliseconds since 1970.
  var clock: Int64? {
    header("Date").flatMap(Seconds.date).map { Int64($0.timeIntervalSince1970 * 1000) - duration }
  }

  /// Milliseconds since 1970 that a server says; nil for a number that can be none.
  static func time(_ milliseconds: Int64) -> Int64? {
    (0...1 << 53).contains(milliseconds) ? milliseconds : nil
  }

  /// The body of a good answer.
  ///
  /// - Throws: ``CloudError`` by the status, and for a body that is none of Kinto's: then nothing
  ///   is known.
  func json() throws -> JSONValue {
    try check()
    return try body()
  }

  private func body() throws -> JSONValue {
    guard let json = try? JSONValue(parsing: content), json.objectValue != nil else {
      throw CloudError(
        .unreachable,
        message:
          "The answer is not one of a Kinto server, or was cut. Is there a portal to sign in to, or "
          + "another server at that address?")
    }
    return json
  }

  /// Throws when the status is not a good one.
  func check() throws {
    guard !(200..<300).contains(status) else { return }
    let seconds = (header("Retry-After") ?? header("Backoff")).flatMap(Seconds.parse)
    throw Self.error(status, text: (try? body())?["message"]?.stringValue, retryAfter: seconds)
  }

  /// The error of a status for a request as a whole.
  static func error(_ status: Int, text: String?, retryAfter seconds: Double?) -> CloudError {
    let reason = text.map { " (\($0))" } ?? ""
    switch status {
    case 401: return notSignedIn
    case 403:
      return CloudError(
        .forbidden, message: "The account may not do that on the server\(reason). Ask its owner.")
    case 405:
      return CloudError(
        .readOnly, message: "The server takes no changes at present\(reason). They stay waiting.")
    case 410:
      return CloudError(
        .endOfService, message: "The service has ended\(reason). Everything is still here.")
    case 413:
      return CloudError(.tooLarge, message: "The server takes less at once\(reason).")
    case 429, 503:
      guard seconds != nil || status == 429 else { break }
      return CloudError(
        .busy, message: "The server is busy\(reason). Sync again later.", retryAfter: seconds ?? 1)
    case 400:
      if text?.contains("requests is limited") == true {
        return CloudError(.tooLarge, message: "The server takes less at once\(reason).")
      }
      return CloudError(
        .unsupported, message: "The server did not understand the request\(reason).")
    default: break
    }
    return CloudError(
      .unreachable, message: "The server failed with status \(status)\(reason). Sync again later.",
      retryAfter: seconds)
  }

  static let notSignedIn = CloudError(
    .notSignedIn,
    message:
      "The server does not accept the name or the password. Nothing was sent; sign in and sync again."
  )

  static func missing(_ zone: CloudZone) -> CloudError {
    CloudError(
      .zoneMissing, message: "The server has no zone “\(zone.name)” for this account and app.")
  }
}
