import SyncCore
import SyncStore

/// Merges a record of the server with the object here: the one rule of remote sync, for answers,
/// conflicts and the feed alike. It only compares stamps; ``RecordWriter`` writes the outcome.
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
  /// The fate of the object.
  enum Fate {
    case none
    case insert
    case update
    case delete
  }

  /// A value that lost to one that did not know of it.
  struct Loss {
    let field: String
    let stamp: String
    let winner: String

    /// The server's value that lost; nil is the one that was waiting here.
    var theirs: JSONValue?
  }

  var record: RemoteRecord
  private(set) var fate = Fate.none

  /// Values to write, by field.
  private(set) var values: [String: JSONValue] = [:]
  private(set) var losses: [Loss] = []

  /// Fields that get the model's defaults: whatever the server has was to be taken, and it has
  /// none.
  private(set) var resets: Set<String> = []

  /// Whether the object is there afterwards, or can be.
  private(set) var isAlive = false

  /// Where one side of the merge has the object and the other its deletion, and the object stays:
  /// the latest deletion that the side of the object knew of, or an empty text.
  private(set) var outlived: String?

  /// Whether the server shows less of the record than it was seen to have, which no writer does: it
  /// was taken back to a backup.
  private(set) var isBehind = false

  /// Whether the record has fields that the model does not know.
  private(set) var hasUnknownFields = false

  /// - Parameters:
  ///   - local: The record as it is known here; nil when it was never seen.
  ///   - rules: Of the fields that the model knows; nil when it does not know the entity.
  ///   - heals: Whether corrected stamps are written to the server, even when nothing else is to be
  ///     sent.
  ///   - choose: Applies the policy of a field that is waiting here to the server's value: the
  ///     value that stays, or nil for the later one.
  init(
    _ local: RemoteRecord?, with content: RecordContent, tag: String?, name: String, zone: String,
    rules: FieldRules?, heals: Bool, clock: inout StampClock,
    choose: (_ field: String, _ theirs: JSONValue) -> JSONValue? = { _, _ in nil }
  ) {
    let fields = rules?.names
    let fresh = RemoteRecord(
      zone: zone, name: name, entity: content.type ?? "", stamp: content.stamp?.text ?? "")
    record = local?.corrected(content.corrections) ?? fresh
    let before = record
    let hasObject = before.row != nil
    record.tag = content.type == nil ? nil : tag
    if !hasObject {
      // A record without object says nothing about fields.
      record.stamps = RemoteStamps()
      record.stamp = fresh.stamp
      if let type = content.type { record.entity = type }
    }
    record.waiting = []
    let deletion = [before.deletion ?? "", content.deletion?.text ?? ""].max() ?? ""
    record.deletion = deletion.isEmpty ? nil : deletion
    if let deletion = content.deletion { clock.see(deletion) }

    var isAlive = deletion.isEmpty && content.type != nil
    var given = Set<String>(minimumCapacity: content.fields.count)
    values.reserveCapacity(content.fields.count)
    // Most fields have the stamp of the one before.
    var seen: Stamp?
    for field in content.fields {
      if field.stamp != seen { clock.see(field.stamp) }
      seen = field.stamp
      if field.stamp.text > deletion { isAlive = true }
      guard fields?.contains(field.name) ?? false else {
        hasUnknownFields = true
        // A later model that knows the field takes whatever it finds.
        record.stamps[field.name] = ""
        continue
      }
      given.insert(field.name)
      let isOpen =
        hasObject && rules?.policies[field.name] != nil
        && Self.isConflict(before, field.name, field.stamp.text)
      if isOpen, let value = choose(field.name, field.value) {
        settle(field, value, before, &clock)
      } else {
        take(field, before, hasObject: hasObject, clock.writer)
        if hasObject, rules?.sent.contains(field.name) == true,
          Self.isBehind(before, field.name, field.stamp.text)
        {
          isBehind = true
        }
      }
    }
    // An object that gives way to the server has no stamps any more.
    let yields = hasObject && before.stamp.isEmpty && before.stamps.isEmpty
    for field in fields ?? [] where !given.contains(field) {
      if yields {
        // It gives way to a server that has none.
        resets.insert(field)
        if before.isWaiting(field) { losses.append(Loss(field: field, stamp: "", winner: "")) }
        continue
      }
      missing(field, before, content, deletion, hasObject: hasObject)
      if hasObject, record.stamp(of: field) > deletion { isAlive = true }
    }
    if hasObject, given.contains(where: { record.stamp(of: $0) > deletion }) { isAlive = true }

    if !content.corrections.isEmpty, heals || !record.waiting.isEmpty { heal(content) }
    if let rules { mask(rules) }
    if let own = before.deletion, own > content.deletion?.text ?? "" {
      // The server has been seen to have the deletion that it does not show.
      if before.tag != nil, content.type != nil, before.waiting.isEmpty { isBehind = true }
      record.waiting.insert(.deletion)
    }
    self.isAlive = isAlive
    if isAlive {
      outlived = Self.outlived(before, content)
      fate = hasObject ? (values.isEmpty && resets.isEmpty ? .none : .update) : .insert
      if let deletion = record.deletion.flatMap(Stamp.init) {
        outlive(deletion, fields ?? [], &clock)
        if let rules { mask(rules) }
      }
      // The server has nothing any more that could be added to.
      if record.tag == nil { record.waiting = [.whole] }
    } else {
      if hasObject { end(before, deletion) } else { discard(content, before, clock.writer) }
      record.stamps = RemoteStamps()
      record.stamp = deletion
      values = [:]
      resets = []
      record.waiting.formIntersection([.deletion])
    }
  }

  /// Whether the server has been seen to have a later value of a field.
  private static func isBehind(_ before: RemoteRecord, _ field: String, _ theirs: String) -> Bool {
    let seen = before.isWaiting(field) ? before.base(of: field) : before.stamp(of: field)
    return before.tag != nil && theirs < seen ?? ""
  }

  private static func outlived(_ before: RemoteRecord, _ content: RecordContent) -> String? {
    let theirs = content.deletion?.text ?? ""
    let isThere =
      content.type != nil
      && (theirs.isEmpty || content.fields.contains { $0.stamp.text > theirs })
    if before.row != nil { return isThere ? nil : before.deletion ?? "" }
    return isThere && before.waiting.contains(.deletion) ? theirs : nil
  }

  /// Whether the server shows a value that is neither ours nor the one that was there before ours.
  private static func isConflict(_ before: RemoteRecord, _ field: String, _ theirs: String) -> Bool
  {
    guard before.isWaiting(field), theirs != before.stamp(of: field) else { return false }
    guard let base = before.base(of: field) else { return before.waiting.contains(.whole) }
    return theirs != base
  }

  /// A field of which a policy has chosen the value.
  private mutating func settle(
    _ field: RecordContent.Field, _ value: JSONValue, _ before: RemoteRecord,
    _ clock: inout StampClock
  ) {
    let (mine, theirs) = (before.stamp(of: field.name), field.stamp.text)
    values[field.name] = value
    if value == field.value {
      record.stamps[field.name] = theirs
      losses.append(Loss(field: field.name, stamp: mine, winner: theirs))
    } else {
      record.stamps[field.name] = clock.next(at: 0).text
      record.setBase(theirs, of: field.name)
      record.waiting.insert(.field(field.name))
    }
  }

  /// Has stamps that were corrected sent as they are now.
  private mutating func heal(_ content: RecordContent) {
    for field in content.fields where content.corrected.contains(field.name) {
      if record.stamp(of: field.name) == field.stamp.text {
        record.waiting.insert(.field(field.name))
      }
    }
    if content.hasCorrectedDeletion { record.waiting.insert(.deletion) }
  }

  /// Takes out fields that do not travel in a direction.
  private mutating func mask(_ rules: FieldRules) {
    guard rules.isMasked else { return record.forgetBases() }
    values = values.filter { rules.taken.contains($0.key) }
    resets.formIntersection(rules.taken)
    losses = losses.filter { rules.taken.contains($0.field) }
    record.waiting = record.waiting.filter { waiting in
      if case .field(let name) = waiting { rules.sent.contains(name) } else { true }
    }
    record.forgetBases()
  }

  /// A field that both know.
  ///
  /// - Parameter writer: Whose stamps are our own: a value that we sent without hearing an answer
  ///   is no news.
  private mutating func take(
    _ field: RecordContent.Field, _ before: RemoteRecord, hasObject: Bool, _ writer: String
  ) {
    let mine = hasObject ? before.stamp(of: field.name) : ""
    let theirs = field.stamp.text
    if theirs < mine {
      record.waiting.insert(.field(field.name))
      if Self.isConflict(before, field.name, theirs), !field.stamp.isBy(writer) {
        losses.append(Loss(field: field.name, stamp: theirs, winner: mine, theirs: field.value))
      }
      if hasObject { record.setBase(theirs, of: field.name) }
    } else if theirs > mine {
      values[field.name] = field.value
      if theirs != record.stamp {
        record.stamps[field.name] = theirs
      } else if !record.stamps.isEmpty {
        record.stamps[field.name] = nil
      }
      if hasObject, before.isWaiting(field.name) {
        losses.append(Loss(field: field.name, stamp: mine, winner: theirs))
      }
    }
  }

  /// Leaves a field as it was, because the server's value cannot be used.
  mutating func leave(_ field: String, as before: RemoteRecord?) {
    let mine = before?.row == nil ? "" : before?.stamp(of: field) ?? ""
    guard mine < record.stamp(of: field) else { return }
    record.stamps[field] = mine
    record.waiting.remove(.field(field))
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
    if mine > deletion, !cameWithRecord { record.waiting.insert(.field(field)) }
  }

  /// The object outlives a deletion: fields that are older are sent anew.
  private mutating func outlive(
    _ deletion: Stamp, _ fields: Set<String>, _ clock: inout StampClock
  ) {
    let survivor = clock.survivor(of: deletion)
    for field in fields {
      let stamp = record.stamp(of: field)
      guard !stamp.isEmpty, stamp <= deletion.text else { continue }
      record.stamps[field] = survivor.text
      record.waiting.insert(.field(field))
      clock.see(survivor)
    }
  }

  /// The object goes; its waiting fields have lost.
  private mutating func end(_ before: RemoteRecord, _ deletion: String) {
    fate = .delete
    losses = before.waitingFields.sorted()
      .map { Loss(field: $0, stamp: before.stamp(of: $0), winner: deletion) }
  }

  /// The object was deleted here; values of which that did not know have lost.
  private mutating func discard(
    _ content: RecordContent, _ before: RemoteRecord, _ writer: String
  ) {
    guard before.waiting.contains(.deletion), let deletion = before.deletion else { return }
    for field in content.fields where !field.stamp.isBy(writer) {
      guard let base = before.base(of: field.name), field.stamp.text > base,
        field.stamp.text < deletion
      else { continue }
      losses.append(
        Loss(field: field.name, stamp: field.stamp.text, winner: deletion, theirs: field.value))
    }
  }
}
