import Foundation
import SyncCore

/// An answer of a Kinto server, and what its status means.
struct KintoAnswer {
  let status: Int
  private let content: Data
  private let answer: HTTPClient.Answer

  init(_ answer: HTTPClient.Answer) {
    status = answer.status
    content = answer.body
    self.answer = answer
  }

  func header(_ name: String) -> String? { answer.header(name) }

  /// Whether what was asked for is not there. A bucket that is not there is forbidden, as one of somebody else is.
  var isMissing: Bool { status == 404 || status == 403 }

  /// The body of a good answer.
  ///
  /// - Throws: ``CloudError`` by the status, and for a body that is none of Kinto's: then nothing is known.
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
    throw Self.error(status, text: (try? body())?["message"]?.stringValue, answer)
  }

  /// What a status means for a request as a whole.
  static func error(_ status: Int, text: String?, _ answer: HTTPClient.Answer?) -> CloudError {
    let reason = text.map { " (\($0))" } ?? ""
    let seconds = (answer?.header("Retry-After") ?? answer?.header("Backoff")).flatMap(retryAfter)
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

  /// Seconds, as a number or until a date (https://www.rfc-editor.org/rfc/rfc9110#field.retry-after).
  private static func retryAfter(_ text: String) -> Double? {
    if let seconds = Double(text), seconds >= 0 { return seconds }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return formatter.date(from: text).map { max(0, $0.timeIntervalSinceNow) }
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
