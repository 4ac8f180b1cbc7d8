import Foundation
import SyncCore
import SyncStore

/// Gives stamps to the edits made here: reads the history commit by commit, so that each field has
/// the time of the commit that changed it.
///
/// It runs in the transaction that merges or answers, before anything of that: an edit that was
/// made before another machine's was seen must not count as later.
struct Drain: WritingPart {
  let writing: CloudWriting

  /// Whose commits are sent.
  let authors: HistoryAuthors

  private var names: RecordName.Source
  private var pairs: PairDrain
  private var lists: ListDrain

  /// Records that came in this drain, whose objects no other machine can know.
  private var fresh: Set<String> = []

  /// Objects that were given another parent, with the stamps of that.
  private var moved: [ManagedObjectID: Stamp] = [:]

  /// Objects that took the name of their identity, of which others may have spoken before.
  private var named: [(name: String, row: Int64, entity: EntityDescription)] = []

  /// Those that are about to get records.
  private var comers: Comers

  /// The stamp of properties that were never set.
  private let oldest: String

  /// Commits that are read at once.
  private static let portion = 100

  init(_ writing: CloudWriting, authors: HistoryAuthors) {
    self.writing = writing
    self.authors = authors
    names = RecordName.Source(milliseconds: writing.transaction.milliseconds)
    oldest = writing.clock.oldest.text
    comers = Comers(writing: writing)
    pairs = PairDrain(writing: writing)
    lists = ListDrain(writing: writing)
  }

  /// Reads on where the last drain ended.
  ///
  /// - Throws: `StoreError` with the code `historyExpired` when edits were forgotten before they
  ///   were read.
  mutating func run() throws {
    let latest = try transaction.requireHistoryToken()
    // Objects from before the history count by their content, not by its commits.
    let floor = try transaction.historyBeginning()
    let home = writing.home
    var token = HistoryToken(number: home.isEnrolled ? home.history : max(home.history, floor))
    while true {
      let commits = try transaction.history(since: token, authors: authors, limit: Drain.portion)
      for commit in commits {
        let time = Int64((commit.date.timeIntervalSince1970 * 1000).rounded())
        var stamp = writing.clock.next(at: time)
        // An object that goes frees its name for one that takes its place, whose stamp then has to
        // be newer.
        let deletions = commit.changes.filter { $0.kind == .delete }
        for change in deletions { try read(change, stamp) }
        if !deletions.isEmpty { stamp = writing.clock.next(at: time) }
        let insertions = commit.changes.filter { $0.kind == .insert }
        try comers.read(insertions)
        for change in comers.inNameOrder(insertions) { try read(change, stamp) }
        for change in commit.changes where change.kind == .update { try read(change, stamp) }
        token = commit.token
      }
      if commits.count < Drain.portion { break }
    }
    writing.home.history = latest.number
    if !home.isEnrolled { try enrol() }
    for object in named {
      let record = try transaction.remoteRecord(of: object.row, object.entity)
      guard let record, record.name == object.name else { continue }
      try writing.enter(record.zone) {
        try writing.follow(object.name, object.row, object.entity, parting: .none)
      }
    }
    for (object, stamp) in moved.inKeyOrder {
      try ZoneMove(writing: writing).place(object, stamp, fresh: fresh)
    }
    try pairs.run()
    try lists.run()
  }

  private mutating func read(_ change: HistoryChange, _ stamp: Stamp) throws {
    guard let entity = transaction.model.entity(named: change.entity),
      writing.fields.travels(entity)
    else { return }
    let object = ManagedObjectID(entity: entity, row: change.row)
    switch change.kind {
    case .insert:
      pairs.note(change.row, entity, nil, stamp)
      guard !comers.known.contains(object) else { return }
      lists.note(change.row, entity, nil, stamp)
      let (record, isFresh) = try newRecord(change.row, entity, stamp)
      if isFresh { fresh.insert(record.name) }
      try transaction.setRemoteRecord(record)
    case .update:
      let known = try transaction.remoteRecord(of: change.row, entity)
      pairs.note(change.row, entity, change.properties, stamp)
      lists.note(change.row, entity, change.properties, stamp)
      let rules =
        known.map { writing.fields.rules(of: entity, named: $0.name, in: $0.zone) }
        ?? writing.fields.rules(of: entity)
      if let parent = writing.fields.rules(of: entity).parent,
        change.properties.contains(parent.name)
      {
        moved[object] = stamp
      }
      let changed = change.properties.filter {
        rules.sent.contains($0) && rules.lists[$0] == nil
      }
      guard !changed.isEmpty else { return }
      if known == nil { try comers.identify(.rows([change.row]), entity) }
      var record = try known ?? newRecord(change.row, entity, writing.clock.oldest).record
      for field in changed {
        record.edit(field, stamp.text)
        try writing.enter(record.zone) { try writing.removeLink(from: record.name, field) }
      }
      try transaction.setRemoteRecord(record, before: known)
    case .delete:
      guard var record = try transaction.remoteRecord(of: change.row, entity) else { return }
      // It came and went before the server heard of it.
      if fresh.contains(record.name) {
        return try transaction.removeRemoteRecord(record.name, in: record.zone)
      }
      try writing.enter(record.zone) { try writing.forgetReferences(of: record.name) }
      let before = record
      record.row = nil
      record.deletion = stamp.text
      record.stamp = stamp.text
      record.stamps = RemoteStamps()
      // A value that another machine gave a field meanwhile is lost by the deletion.
      for field in writing.fields.rules(of: entity).names {
        record.setBase(before.base(of: field) ?? before.stamp(of: field), of: field)
      }
      record.waiting = [.deletion]
      record.problem = nil
      record.kept = nil
      try transaction.setRemoteRecord(record, before: before)
    }
  }

  /// Gives records to objects that are older than the history, with the oldest stamp there is.
  private mutating func enrol() throws {
    for entity in transaction.model.entities where writing.fields.travels(entity) {
      let rows = try transaction.objects(of: entity).map(\.row)
      let known = try transaction.remoteRows(of: entity, among: rows)
      let fresh = rows.filter { !known.contains($0) }
      guard !fresh.isEmpty else { continue }
      try comers.identify(.all, entity)
      for row in fresh {
        try transaction.setRemoteRecord(try newRecord(row, entity, writing.clock.oldest).record)
      }
    }
    comers = Comers(writing: writing)
    try pairs.enrol()
    try lists.enrol()
    writing.home.isEnrolled = true
  }

  /// A record for an object that has none: one of its own, or that of its identity when it is free.
  /// Others may have an object of that identity: properties that were never set here are older than
  /// all that they set.
  ///
  /// - Returns: The record, and whether there was none of its name.
  private mutating func newRecord(
    _ row: Int64, _ entity: EntityDescription, _ stamp: Stamp
  ) throws -> (record: RemoteRecord, isFresh: Bool) {
    let object = ManagedObjectID(entity: entity, row: row)
    let zone = try ZoneMove(writing: writing).zone(of: object)
    let identity = comers.identities[object]
    var name = identity?.name
    let holder = try name.flatMap { try comers.holder($0, in: zone) }
    // The object that went to another zone has that name.
    if holder?.row != nil || holder?.hasLeft == true { name = nil }
    var record = RemoteRecord(
      zone: zone, name: name ?? names.next(), entity: entity.name, stamp: stamp.text)
    if let holder, name != nil, let text = holder.deletion, !holder.isElsewhere {
      // The same object once more: the record goes on, and outlives the deletion. It begins without
      // its pairs up to now.
      record.tag = holder.tag
      if let deletion = Stamp(text) {
        if stamp <= deletion { record.stamp = writing.clock.survivor(of: deletion).text }
        record.deletion = max(deletion, stamp.eve).text
      }
    } else if name != nil {
      // One that was removed here only, or put aside, is on the server as it is: it is met as that
      // of another machine, and its values are read before any is sent.
      for slot in identity?.unset ?? [] {
        record.stamps[entity.properties[slot].name] = oldest
      }
    }
    if name != nil, holder != nil || writing.hasLinks {
      named.append((record.name, row, entity))
    }
    record.row = row
    record.waiting = [.whole]
    if name != nil { comers.note(record) }
    return (record, name == nil || holder == nil)
  }
}

extension RemoteRecord {
  /// Gives a field the stamp of an edit, which waits from now on.
  mutating func edit(_ field: String, _ stamp: String) {
    if !isWaiting(field) { setBase(self.stamp(of: field), of: field) }
    stamps[field] = stamp
    if !waiting.contains(.whole) { waiting.insert(.field(field)) }
    // Whatever kept it from being sent may be cured.
    problem = nil
  }
}
