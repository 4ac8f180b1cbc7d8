import SyncCore
import SyncStore

extension RemoteRecord.Move {
  /// As records carry it.
  var json: JSONValue {
    switch self {
    case .to(let zone): ["to", .string(zone)]
    case .from(let zone): ["from", .string(zone)]
    }
  }

  init?(_ json: JSONValue?) {
    guard let parts = json?.arrayValue, parts.count >= 2, let zone = parts[1].stringValue else {
      return nil
    }
    switch parts[0].stringValue {
    case "to": self = .to(zone)
    case "from": self = .from(zone)
    default: return nil
    }
  }

  /// The move in a shared zone of a record whose object has left, with the mark of the account that
  /// took it out.
  static func departure(by mark: String) -> JSONValue { ["to", "", .string(mark)] }

  /// The mark of the account that took an object out of a shared zone.
  static func mark(_ json: JSONValue?) -> String? {
    guard let parts = json?.arrayValue, parts.count == 3 else { return nil }
    return parts[2].stringValue
  }

  /// The mark of an account: all its machines make the same, and it tells others nothing but that
  /// it is not theirs.
  static func mark(of name: String, in zone: String, by account: String?) -> String {
    RecordName.hash(["left", zone, name, account ?? ""].joined(separator: "\u{0}"))
  }
}
