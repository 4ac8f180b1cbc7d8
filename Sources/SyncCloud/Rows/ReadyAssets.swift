import SyncCore
import SyncStore

/// The fields of waiting records whose files are on the server. A record is sent only once all of
/// its files are there.
struct ReadyAssets: Sendable {
  private struct Place: Hashable {
    let record: String
    let field: String

    /// Of the value whose file it is.
    let stamp: String

    init(_ record: RemoteRecord, _ field: String) {
      self.record = record.name
      self.field = field
      stamp = record.stamp(of: field)
    }
  }

  private var assets: [Place: CloudAsset?] = [:]

  var isEmpty: Bool { assets.isEmpty }

  /// Notes that a field may be sent as it is now.
  ///
  /// - Parameter asset: The file on the server; nil for a field without one.
  mutating func note(_ asset: CloudAsset?, of record: RemoteRecord, _ field: String) {
    assets.updateValue(asset, forKey: Place(record, field))
  }

  /// The file of a field; nil for one that was not noted, or has none.
  func asset(of record: RemoteRecord, _ field: String) -> CloudAsset? {
    assets[Place(record, field)] ?? nil
  }

  /// Whether everything that is sent of a record is there.
  ///
  /// - Parameter empty: Fields without a value.
  func allow(_ record: RemoteRecord, _ rules: FieldRules, empty: Set<String>) -> Bool {
    rules.assets.keys.allSatisfy { field in
      empty.contains(field) || !record.sends(field, rules) || assets[Place(record, field)] != nil
    }
  }
}

/// A run of records in the order of their names, and which of their files are on the server. Of
/// records with files those are sent whose files are.
struct AssetPortion: Sendable {
  /// The name behind which the run begins.
  var after = ""
  /// The last name of the run; nil is that of the last record.
  var through: String?
  var ready = ReadyAssets()
}

extension RemoteRecord {
  /// Whether the whole record is sent, if anything.
  var isSentWhole: Bool { tag == nil || waiting.contains(.whole) }

  /// Whether a field is sent in the next save of its record. A field that is not newer than the
  /// deletion never is.
  func sends(_ field: String, _ rules: FieldRules) -> Bool {
    rules.sent.contains(field) && stamp(of: field) > deletion ?? ""
      && (isSentWhole || waiting.contains(.field(field)))
  }
}
