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
    guard let parts = json?.arrayValue, parts.count == 2, let zone = parts[1].stringValue else {
      return nil
    }
    switch parts[0].stringValue {
    case "to": self = .to(zone)
    case "from": self = .from(zone)
    default: return nil
    }
  }
}
