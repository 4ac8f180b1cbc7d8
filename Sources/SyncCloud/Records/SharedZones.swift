import SyncCore
import SyncStore

/// A shared object and all below it lie in a zone of their own, whose name says which record is its
/// root: `share-`, eight digits, `-` and the record's name. The account's own zone has a record for
/// each such zone that it shares or takes part in, so that all machines of the account know them:
///
/// ```json
/// {"type":"-share","zone":"share-5f2d9c01-0195c2…","owner":"account:ann"}
/// ```
///
/// `owner` is missing where it is the account itself. When the account shares it no longer, or has
/// left, the record has a `d`. No entity has such a type, so it is kept as all records are that the
/// model does not know.
enum SharedZones {
  static let type = "-share"

  /// The name of the record that stands for a zone.
  static func name(of zone: CloudZone) -> String { "share-" + RecordName.hash(zone.key) }

  /// - Parameter deletion: When that has ended.
  static func content(of zone: CloudZone, deletion: Stamp?) -> JSONObject {
    var content: JSONObject = ["type": .string(type), "zone": .string(zone.name)]
    if let owner = zone.owner { content["owner"] = .string(owner) }
    if let deletion { content["d"] = .string(deletion.text) }
    return content
  }

  /// The zone that a record stands for; nil for others, and when that has ended.
  static func zone(_ record: RemoteRecord) -> CloudZone? {
    guard record.entity == type, let content = record.keptContent, content["d"] == nil,
      let name = content["zone"]?.stringValue
    else { return nil }
    return CloudZone(name, owner: content["owner"]?.stringValue)
  }
}

extension StoreReader {
  /// The zones that the account shares or takes part in.
  func sharedZones(home: String) throws -> [CloudZone] {
    guard home == CloudZone(.private).key else { return [] }
    return try keptRemoteRecords(in: home).compactMap(SharedZones.zone)
  }
}

extension CloudZone {
  /// The zone of a root.
  init(root: String) {
    let digits = String(UInt32.random(in: 0...(.max)), radix: 16)
    self.init("share-\(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)-\(root)")
  }

  /// - Parameter key: By which the zone is kept in the store.
  init(key: String) {
    guard let slash = key.lastIndex(of: "/") else {
      self.init(key)
      return
    }
    self.init(String(key[key.index(after: slash)...]), owner: String(key[..<slash]))
  }

  /// - Parameter home: The engine's own zone.
  init(stored key: String, _ home: CloudZone) {
    self = key == home.key ? home : CloudZone(key: key)
  }

  /// The name by which the zone is kept in the store.
  var key: String { owner.map { "\($0)/\(name)" } ?? name }

  /// The name of the record below which all others are; nil for zones that are not shared.
  var root: String? {
    guard name.hasPrefix("share-"), name.utf8.count > 15 else { return nil }
    return String(name.dropFirst(15))
  }
}

extension RemoteRecord {
  /// Whether it is of the object that is shared with all below it.
  var isSharedRoot: Bool { zone.hasSuffix(name) && CloudZone(key: zone).root == name }

  /// The content of the server's version that is kept.
  var keptContent: JSONObject? { kept.flatMap { try? JSONValue(parsing: $0).objectValue } }

  /// Whether the server has an object of it that cannot be made here.
  var isKeptAlive: Bool {
    row == nil && keptContent?.contains { $0.key.hasPrefix("f_") } == true
  }

  /// Whether the server has an object of it that is not here.
  var isElsewhere: Bool { isEvicted || isKeptAlive }

  /// The server's version of which the content is kept, as of a time.
  func keptVersion(at time: Int64) -> CloudRecord? {
    guard let tag, let keptContent else { return nil }
    return CloudRecord(name: name, tag: tag, content: keptContent, time: time)
  }
}
