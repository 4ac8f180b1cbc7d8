import SyncCore
import SyncStore

/// The zone that has a pair's record: that of both its objects, so that all who share it have it;
/// where they are in two zones, the account's own, so that the account's machines have it. A pair
/// goes along when its objects go (``ZoneMove/carryPairs(of:from:)``); a record that is left in a
/// zone says nothing until both are there again.
extension CloudWriting {
  /// The zone of a pair of objects in two zones, or in one.
  func pairZone(_ first: String, _ second: String) -> String {
    first == second ? first : homeName
  }

  /// The zones in which pairs of an object of a zone are said.
  func pairZones(_ zone: String) -> [String] { zone == homeName ? [zone] : [homeName, zone] }

  /// The records under the name of an object of a pair that is said in a zone. The account's own
  /// zone says pairs of objects of all its zones.
  private func ends(_ name: String, of zone: String) throws -> [RemoteRecord] {
    guard zone == homeName, hasShares else {
      return try transaction.remoteRecord(name, in: zone).map { [$0] } ?? []
    }
    return try transaction.remoteRecords(named: name).filter { isOurs($0.zone) }
  }

  /// The object at the end of a pair that is said in a zone; of two that have that name the one in
  /// that zone. Nil while there is none.
  func end(_ name: String, of zone: String) throws -> RemoteRecord? {
    let here = try ends(name, of: zone).filter { $0.row != nil }
    return here.first { $0.zone == zone } ?? here.first
  }

  /// Whether the object of that name is not known yet where it should be; one that was deleted,
  /// removed here or taken out of a shared zone is known.
  func mayCome(_ name: String, of zone: String) throws -> Bool {
    let known = try ends(name, of: zone)
    if known.isEmpty { return true }
    let shared = Set(try sharedZones.get().map(\.key))
    return known.contains { record in
      guard record.zone == zone, case .to(let other)? = record.moved, shared.contains(other) else {
        return false
      }
      return !known.contains { $0.zone == other }
    }
  }

  /// When a pair is joined: later than it was parted, and later than the objects at its ends were
  /// deleted. So a deletion parts all that the object was joined to without saying so pair by pair,
  /// and an object that comes back under its old name begins without any.
  ///
  /// Where an edit outlives a deletion, the object keeps its pairs: the machine that sees that
  /// first says them anew.
  func isJoined(_ record: RemoteRecord, _ pair: RemotePair) throws -> Bool {
    guard record.isJoined else { return false }
    return try record.stamp > parting(of: record, pair)
  }

  /// The stamp of the deletion that parted a pair last; empty when there was none.
  func parting(of record: RemoteRecord, _ pair: RemotePair) throws -> String {
    try Set([pair.first, pair.second]).reduce(record.deletion ?? "") {
      max($0, try deletion(of: $1, for: record.zone))
    }
  }

  /// The latest deletion of an object of a pair that is said in a zone; empty when there is none.
  /// Of an object that is here its own record has it: a deletion under the same name in a zone
  /// where it is not, which a machine may see sooner or later, parts nothing.
  func deletion(of name: String, for zone: String) throws -> String {
    if let here = try end(name, of: zone) { return here.deletion ?? "" }
    return try ends(name, of: zone).compactMap(\.deletion).max() ?? ""
  }
}
