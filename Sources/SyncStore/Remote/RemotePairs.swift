import SyncCore

/// Two objects that a many-to-many relationship joins, by the names of their records. Whether they
/// are joined now says the record of the pair, which is in the zone of both objects, or in the
/// account's own zone where they are in two.
package struct RemotePair: Sendable, Hashable {
  package let name: String

  /// Declaring entity and name of the relationship: `Note.tags`.
  package let relationship: String
  package let first: String
  package let second: String

  package init(name: String, relationship: String, first: String, second: String) {
    self.name = name
    self.relationship = relationship
    self.first = first
    self.second = second
  }
}

extension StoreReader {
  /// The ends of a pair; nil when they were never seen.
  package func remotePair(_ name: String, in zone: String) throws -> RemotePair? {
    try pairs("name = ?2", [zone, name]).first
  }

  /// Pairs at one of whose ends an object is, by name.
  ///
  /// - Parameter isFirst: Which end; nil is any.
  package func remotePairs(
    of object: String, isFirst: Bool?, in zone: String
  ) throws -> [RemotePair] {
    let condition: String
    switch isFirst {
    case true?: condition = "first = ?2"
    case false?: condition = "second = ?2"
    case nil:
      // An index for each end; with OR every pair of the zone is read.
      condition =
        "name IN (SELECT name FROM _syncstack_remote_pairs WHERE zone = ?1 AND first = ?2 "
        + "UNION SELECT name FROM _syncstack_remote_pairs WHERE zone = ?1 AND second = ?2)"
    }
    return try pairs(condition + " ORDER BY name", [zone, object])
  }

  private func pairs(_ condition: String, _ values: [any ValueConvertible]) throws -> [RemotePair] {
    try prepared.all(
      "SELECT name, relationship, first, second FROM _syncstack_remote_pairs "
        + "WHERE zone = ?1 AND " + condition, values
    ) { statement in
      RemotePair(
        name: statement.text(0), relationship: statement.text(1), first: statement.text(2),
        second: statement.text(3))
    }
  }
}

extension StoreTransaction {
  /// Keeps the ends of a pair.
  package func setRemotePair(_ pair: RemotePair, in zone: String) throws {
    try requireOpen()
    try connection.run(
      "INSERT OR REPLACE INTO _syncstack_remote_pairs (zone, name, relationship, first, second) "
        + "VALUES (?, ?, ?, ?, ?)", [zone, pair.name, pair.relationship, pair.first, pair.second])
  }
}
