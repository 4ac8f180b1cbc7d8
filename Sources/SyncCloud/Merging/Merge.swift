import SyncCore
import SyncStore

/// What a record that the server shows means for the object here: the one rule of remote sync, for answers,
/// conflicts and the feed alike. It only compares stamps; what it says is written by ``RecordWriter``.
///
/// ```
/// field of the server is   newer   ─▶ taken; a value that was waiting here has lost
///                          equal   ─▶ not waiting
///                          older   ─▶ waiting
/// no field is newer than the deletion ─▶ the object goes
/// a field is newer than the deletion  ─▶ the object stays or comes back, all of it: fields that are older get
///                                        stamps just newer than the deletion, and wait
/// ```
///
/// Invariants of the record that comes out:
/// 1. A field is waiting exactly when its stamp here is newer than the server's.
/// 2. No stamp ever becomes older, except of an object that went, whose fields have the deletion's.
/// 3. Merging the same version once more changes nothing.
struct Merge {
  /// What happens to the object.
  enum Fate {
    case none
    case insert
    case update
    case delete
  }

  /// A field that was waiting here and lost.
  struct Loss {
    let field: String
    let stamp: String
    let winner: String
  }

  private(set) var record: RemoteRecord
  private(set) var fate = Fate.none

  /// Values to write, by field.
  private(set) var values: [String: JSONValue] = [:]
  private(set) var losses: [Loss] = []

  /// Whether the record has fields that the model does not know.
  private(set) var hasUnknownFields = false

  /// - Parameters:
  ///   - local: What is known here; nil when the record was never seen.
  ///   - fields: Names of the fields that the model knows; nil when it does not know the entity.
  init(
    _ local: RemoteRecord?, with content: RecordContent, tag: String?, name: String, zone: String,
    fields: Set<String>?, clock: inout StampClock
  ) {
    let fresh = RemoteRecord(
      zone: zone, name: name, entity: content.type ?? "", stamp: content.stamp?.text ?? "")
    record = local ?? fresh
    let before = record
    let hasObject = before.row != nil
    record.tag = content.type == nil ? nil : tag
    if !hasObject {
      // A record without object says nothing about fields.
      record.stamps = [:]
      record.stamp = fresh.stamp
      if let type = content.type { record.entity = type }
    }
    record.waiting = []
    let deletion = [before.deletion ?? "", content.deletion?.text ?? ""].max() ?? ""
    record.deletion = deletion.isEmpty ? nil : deletion
    if let deletion = content.deletion { clock.see(deletion) }

    var isAlive = deletion.isEmpty && content.type != nil
    var given: Set<String> = []
    for field in content.fields {
      clock.see(field.stamp)
      if field.stamp.text > deletion { isAlive = true }
      guard fields?.contains(field.name) ?? false else {
        hasUnknownFields = true
        // A later model that knows the field takes whatever it finds.
        record.stamps[field.name] = ""
        continue
      }
      given.insert(field.name)
      take(field, before, hasObject: hasObject)
    }
    for field in fields ?? [] where !given.contains(field) {
      missing(field, before, content, deletion, hasObject: hasObject)
      if hasObject, record.stamp(of: field) > deletion { isAlive = true }
    }
    if hasObject, given.contains(where: { record.stamp(of: $0) > deletion }) { isAlive = true }

    if let own = before.deletion, own > content.deletion?.text ?? "" {
      record.waiting.insert(RemoteRecord.deletionMark)
    }
    if isAlive {
      fate = hasObject ? (values.isEmpty ? .none : .update) : .insert
      if let deletion = record.deletion.flatMap(Stamp.init) {
        outlive(deletion, fields ?? [], &clock)
      }
      // The server has nothing any more that could be added to.
      if record.tag == nil { record.waiting = [RemoteRecord.whole] }
    } else {
      if hasObject { end(before, deletion) }
      record.stamps = [:]
      record.stamp = deletion
      values = [:]
      record.waiting.formIntersection([RemoteRecord.deletionMark])
    }
  }

  /// A field that both know.
  private mutating func take(
    _ field: RecordContent.Field, _ before: RemoteRecord, hasObject: Bool
  ) {
    let mine = hasObject ? before.stamp(of: field.name) : ""
    let theirs = field.stamp.text
    if theirs < mine {
      record.waiting.insert(field.name)
    } else if theirs > mine {
      values[field.name] = field.value
      record.stamps[field.name] = theirs == record.stamp ? nil : theirs
      if hasObject, before.isWaiting(field.name) {
        losses.append(Loss(field: field.name, stamp: mine, winner: theirs))
      }
    }
  }

  /// A field that the record does not have: it was never sent, or its writer does not know it.
  private mutating func missing(
    _ field: String, _ before: RemoteRecord, _ content: RecordContent, _ deletion: String,
    hasObject: Bool
  ) {
    guard hasObject else {
      record.stamps[field] = ""
      return
    }
    let mine = before.stamp(of: field)
    let cameWithRecord = before.stamps[field] == nil && content.stamp?.text == before.stamp
    if mine > deletion, !cameWithRecord { record.waiting.insert(field) }
  }

  /// The object outlives a deletion: what is older than that is said anew.
  private mutating func outlive(
    _ deletion: Stamp, _ fields: Set<String>, _ clock: inout StampClock
  ) {
    let survivor = clock.survivor(of: deletion)
    for field in fields {
      let stamp = record.stamp(of: field)
      guard !stamp.isEmpty, stamp <= deletion.text else { continue }
      record.stamps[field] = survivor.text
      record.waiting.insert(field)
      clock.see(survivor)
    }
  }

  /// The object goes; what was waiting has lost.
  private mutating func end(_ before: RemoteRecord, _ deletion: String) {
    fate = .delete
    losses = before.waiting.sorted()
      .filter { $0 != RemoteRecord.whole && $0 != RemoteRecord.deletionMark }
      .map { Loss(field: $0, stamp: before.stamp(of: $0), winner: deletion) }
  }

  // MARK: - What turns out when it is written

  /// The object that was inserted or, nil, deleted.
  mutating func setRow(_ row: Int64?) { record.row = row }

  mutating func setProblem(_ problem: String?) { record.problem = problem }

  mutating func setKept(_ kept: String?) { record.kept = kept }
}
