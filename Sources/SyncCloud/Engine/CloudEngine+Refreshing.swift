import Foundation
public import SyncCore
import SyncStore

extension CloudEngine {
  /// Takes the server's version of one object, and of the objects that its to-one relationships
  /// lead to, without a pull. Objects that those lead to and that are not here are fetched, too,
  /// and so on. Edits here stay, as in a pull.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/notFound`` when the object is not synced or
  ///   the server has none; and as ``pull(progress:)``.
  /// - Complexity: A request for each object, where the transport can; see
  ///   ``CloudTransport/record(_:in:)``.
  public func refresh(_ object: ManagedObjectID) async throws {
    let record = try await requireRecord(of: object)
    try await turn.run {
      let zone = CloudZone(stored: record.zone, self.zone)
      guard let found = try await ask(for: record.name, in: zone) else { throw Self.noCopy }
      try await take(found, in: zone)
      monitor.tell()
    }
  }

  /// Stores a record with those that it refers to.
  private func take(_ shown: CloudRecord, in zone: CloudZone) async throws {
    var known: Set<String> = [shown.name]
    var next = [(record: shown, isFirst: true)]
    while let (record, isFirst) = next.popLast() {
      try await store([record], in: zone, isFeed: false, deletionGuard) { _ in }
      let targets = RecordContent.references(of: record, fields.wire)
        .filter { known.insert($0).inserted }
      let here = try await read { [name = zone.key] in try $0.remoteRecords(targets, in: name) }
      for target in targets where isFirst || here[target] == nil {
        let found = try await request { try await transport.record(target, in: zone) }
        if let found { next.append((found, false)) }
      }
    }
  }
}

extension RecordContent {
  /// The names of the records that a record leads to.
  fileprivate static func references(of record: CloudRecord, _ names: WireNames) -> [String] {
    guard let content = try? RecordContent(record, names) else { return [] }
    return content.fields.compactMap { FieldCoding.decodeReference($0.value)??.name }
  }
}
