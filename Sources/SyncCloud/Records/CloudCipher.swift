public import Foundation
import SyncCore

/// Seals the values of attributes that the model marks with `cloud.encrypted`, so that the server
/// sees bytes only. Keys and algorithm are the program's.
///
/// ```swift
/// struct Vault: CloudCipher {
///   let key: SymmetricKey
///   func seal(_ value: Data, for place: String) throws -> Data {
///     try ChaChaPoly.seal(value, using: key, authenticating: Data(place.utf8)).combined
///   }
///   func open(_ sealed: Data, for place: String) throws -> Data {
///     try ChaChaPoly.open(.init(combined: sealed), using: key, authenticating: Data(place.utf8))
///   }
/// }
/// ```
///
/// Called inside transactions: quick, and without the store.
public protocol CloudCipher: Sendable {
  /// Makes a value unreadable to the server.
  ///
  /// - Parameters:
  ///   - value: The value as records have it, in bytes of JSON.
  ///   - place: Record and field, as `018f…/f_title`: authenticate it, so that two values cannot be
  ///     exchanged unseen.
  /// - Throws: Whatever it likes: nothing is sent then, and the push throws it.
  func seal(_ value: Data, for place: String) throws -> Data

  /// Opens a value that ``seal(_:for:)`` has sealed.
  ///
  /// - Parameters:
  ///   - sealed: The bytes that ``seal(_:for:)`` has returned, here or on another machine.
  ///   - place: The same record and field.
  /// - Throws: Whatever it likes: the record is a problem then, and the value here stays.
  func open(_ sealed: Data, for place: String) throws -> Data
}

/// Values on their way through a cipher: `["e", base64]` stands for a whole value, empty ones among
/// them.
struct FieldSeal: Sendable {
  private static let mark = "e"
  let cipher: any CloudCipher

  func seal(_ value: JSONValue, _ member: String, of record: String) throws -> JSONValue {
    let sealed = try cipher.seal(value.data(), for: "\(record)/\(member)")
    return [.string(Self.mark), .string(sealed.base64EncodedString())]
  }

  /// The value that was sealed; the one that came when it was not, or cannot be opened.
  func open(_ value: JSONValue, _ member: String, of record: String) -> JSONValue {
    guard let sealed = Self.content(of: value),
      let plain = try? cipher.open(sealed, for: "\(record)/\(member)"),
      let opened = try? JSONValue(parsing: plain)
    else { return value }
    return opened
  }

  static func isSealed(_ value: JSONValue) -> Bool { content(of: value) != nil }

  private static func content(of value: JSONValue) -> Data? {
    guard case .array(let parts) = value, parts.count == 2, parts[0].stringValue == mark else {
      return nil
    }
    return parts[1].stringValue.flatMap { Data(base64Encoded: $0) }
  }
}
