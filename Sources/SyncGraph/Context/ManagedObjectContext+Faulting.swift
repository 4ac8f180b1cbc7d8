import SyncCore
import SyncStore

/// Faults get their rows here, one statement for as many as are wanted together.
extension ManagedObjectContext {
  /// Reads the row of a fault, and those of the faults it was listed with. Never inlined: many
  /// accesses to values lead here, each once an object at most.
  @inline(never)
  func fire(_ object: ManagedObject) {
    withSource { readRow(of: object) }
  }

  /// Reads objects that were edited without being read, so that a save knows those that are gone.
  func lookForVanished() {
    for object in pending.updated where object.isFault { fire(object) }
  }

  private func readRow(of object: ManagedObject) {
    guard object.flags.isDisjoint(with: [.new, .gone]) else { return }
    let root = object.root
    var wanted = [object.rowNumber]
    forEachSibling(of: object, for: -1) { sibling in
      if sibling.isFault, !sibling.flags.contains(.gone) { wanted.append(sibling.rowNumber) }
    }
    let rows = reading { try readRows(object.entity.rootEntity, wanted) }
    var awoken: [ManagedObject] = []
    for row in rows {
      guard let known = identities.object(root: root, row: row.row) else { continue }
      if known.adopt(row.values, row.version) {
        known.flags.insert(.awakening)
        awoken.append(known)
      }
    }
    // An object without a row any more was deleted, and the commit that did it was not merged yet.
    if rows.count < wanted.count {
      let found = Set(rows.map(\.row))
      for row in wanted where !found.contains(row) {
        guard let object = identities.object(root: root, row: row) else { continue }
        if object.hasChanges { vanished.append(object) }
        bury(object)
      }
    }
    awake(awoken)
  }

  /// Turns an object whose row is gone into a tombstone. One that was deleted elsewhere has no
  /// values any more, whether it had any before or not.
  ///
  /// - Parameter isOwn: whether it is a new object that this context gives up.
  func bury(_ object: ManagedObject, isOwn: Bool = false) {
    pending.setInserted(object, false)
    pending.setUpdated(object, false)
    pending.setDeleted(object, false)
    object.flags.insert(isOwn ? .gone : [.gone, .vanished])
    if !isOwn || object.row.isNone { object.row = .own(object.home.shape.defaults) }
    overtaken.forget(object)
    object.tellObserversOfAll()
    object.committed = .none
    object.changed = SlotSet()
    object.links = []
    identities.remove(root: object.root, row: object.rowNumber)
  }

  /// Calls the body for the live objects that were listed around an object, the object left out.
  func forEachSibling(of object: ManagedObject, for purpose: Int, _ body: (ManagedObject) -> Void) {
    guard let batch = object.batch else { return }
    let root = object.root
    for position in batch.window(from: Int(object.batchIndex), for: purpose) {
      guard let sibling = identities.object(root: root, row: batch.rows[position]),
        sibling !== object
      else { continue }
      body(sibling)
    }
  }

  /// Reads where an access to an object cannot throw.
  ///
  /// Rows that a damaged table makes unreadable read as if nothing were there, and no save of this
  /// context succeeds after that: values derived from them are worth nothing.
  ///
  /// - Precondition: The store can be read.
  func reading<Element>(_ body: () throws -> [Element]) -> [Element] {
    do {
      return try body()
    } catch let error as StoreError where error.code == .damaged {
      damage = damage ?? error
      return []
    } catch {
      programmingError(
        """
        The values of an object could not be read from the store: \(error) Keep the stack open as \
        long as its objects are used; fetch(_:) and existingObject(with:) throw instead of stopping.
        """)
    }
  }
}

extension ManagedObject {
  /// Reads the row of a fault.
  ///
  /// - Precondition: The context is still there.
  final func fireFault() {
    guard let owner else {
      programmingError(
        """
        \(self) has no values yet and its context is gone or was reset. Keep the context, and get the \
        object again with object(with: objectID).
        """)
    }
    owner.fire(self)
    if row.isNone { owner.bury(self) }
  }

  /// Takes a row that was read from the store. Unsaved values stay.
  ///
  /// - Parameter isMerging: whether a commit is merged, or the program asked for new values.
  ///   Otherwise an object that has values stays as it is: its values do not move under their
  ///   readers.
  /// - Returns: whether values came in that the object did not have.
  final func adopt(_ stored: RowValues, _ storedVersion: Int64, isMerging: Bool = false) -> Bool {
    if row.isNone, !flags.contains(.gone) {
      version = storedVersion
      flags.remove(.lost)
      row = stored
      return true
    }
    guard isMerging, !flags.contains(.gone) else { return false }
    var values = stored
    for slot in home.shape.transients where !row.isNull(slot) { values[slot] = row[slot] }
    // The version says nothing of the unsaved values of a parent, which a child has read, and which
    // come here as the base of an edit when the child saves.
    let isChild = owner?.parent != nil
    guard isChild || version != storedVersion || values != base else { return false }
    if !isChild, hasChangedRow { owner?.overtaken.note(self) }
    tellObserversOfAll()
    version = storedVersion
    flags.remove(.lost)
    guard !isChild || values != base else { return false }
    let newBase = values
    for slot in changed {
      if case .toMany = home.shape.kinds[slot] { continue }
      values[slot] = row[slot]
      // To set a property that was set elsewhere too is an edit all the same, and may be a
      // conflict.
      if isChild, newBase[slot] == values[slot] { changed.remove(slot) }
    }
    let isEdited = changed.contains {
      if case .toMany = home.shape.kinds[$0] { false } else { true }
    }
    committed = isEdited ? newBase : .none
    row = isEdited ? values : newBase
    if !isEdited, !isKnownDeleted { owner?.overtaken.forget(self) }
    if !isInserted, !isKnownDeleted { owner?.pending.setUpdated(self, !changed.isEmpty) }
    return true
  }
}

/// Objects that came into a context together: the answer of a fetch, the members of lists that were
/// loaded together, the objects that one commit made stale. Rows that one of them needs from the
/// store are read for all of them in the same statement.
final class FaultBatch {
  /// Row numbers in the order of the list, all of one root entity.
  let rows: [Int64]

  /// How many objects around the first that asks are served; twice as many each further time. So
  /// looking at one object of a hundred thousand reads a window, and walking them all takes few
  /// statements.
  private var windows: [Int: Int] = [:]
  private let firstWindow: Int

  init(rows: [Int64], firstWindow: Int) {
    self.rows = rows
    self.firstWindow = firstWindow
  }

  /// The positions to serve when the object at a position asks for something.
  ///
  /// - Parameter purpose: the purpose of the read: the ordinal of a relationship, or -1 for the
  ///   row.
  func window(from position: Int, for purpose: Int) -> Range<Int> {
    let size = windows[purpose] ?? firstWindow
    windows[purpose] = size > rows.count ? size : size * 2
    guard size < rows.count else { return rows.indices }
    let start = min(position, rows.count - size)
    return start..<(start + size)
  }
}
