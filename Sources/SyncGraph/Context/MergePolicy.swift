import SyncCore
import SyncStore

/// The treatment of rows that changed since the context read them, by a save.
///
/// One rule: a conflict is decided by the row as the context had *read* it when the object was
/// edited. If the row has changed since, there is a conflict, whether that commit was merged
/// meanwhile or not, by `fetch`, between two blocks, or not at all. Merging decides nothing: it
/// lays unsaved values on top of the new row, so that a program sees the changes of others.
/// ``ManagedObjectContext/refresh(_:mergeChanges:)`` says that the program has seen the new row and
/// means its edits all the same.
///
/// Edits of a child context are the exception. They count as made when the child saves, on the rows
/// that it shows then: a commit that the child has merged by that time, also at the beginning of
/// its `save()`, is no conflict, and the save of its parent stores the edits over it. One that the
/// child has not merged, because it came in the midst of its block, is a conflict for the parent's
/// policy.
///
/// The values that a save stores of an object whose row was changed elsewhere since it was read:
///
/// | | edited here, not there | edited here and there | changed there, not here | the row is gone |
/// |---|---|---|---|---|
/// | ``error`` | nothing: the save throws | nothing: the save throws | nothing: the save throws | the save throws |
/// | ``storeWinsPerProperty`` | the edit | theirs | theirs | the edits are given up |
/// | ``objectWinsPerProperty`` | the edit | the edit | theirs | the save throws |
/// | ``storeWins`` | as before | theirs | theirs | the edits are given up |
/// | ``objectWins`` | the edit | the edit | as the context has it | the save throws |
///
/// A deletion is in conflict too when the values of the object changed since the context read them.
/// Only ``error`` says so; under every other policy the object is deleted. An object that was
/// deleted by a commit which is merged becomes a tombstone in the context, and its edits go with
/// it.
///
/// So is a relationship that a save would let lead to an object which is gone from the store: the
/// policies that let the store win empty it; under the others the save throws, and the error names
/// both objects.
///
/// A one-to-one relationship is one thing, although each side is a property: an object that loses
/// its partner by the decision about one side is emptied on the other.
///
/// Contexts begin with ``error``, the main context of a stack with ``storeWinsPerProperty``: there
/// a user's edit is dropped where the same property was changed elsewhere, and
/// ``SaveResult/overruled`` lists it. For a value that follows from the one before it, such as a
/// counter, use ``ManagedObjectContext/updateAndSave(attempts:_:)``, which does it again until no
/// other save came in between.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// The save throws ``GraphError/Code/conflict`` with both versions.
  case error
  /// Property by property: values that changed in the store stay, the other edits are saved.
  case storeWinsPerProperty
  /// Property by property: every edit is saved, the rest stays as the store has it.
  case objectWinsPerProperty
  /// The edits of objects in conflict are dropped.
  case storeWins
  /// The whole row as the context has it is saved.
  case objectWins

  /// Whether an object that is gone is given up together with its unsaved values.
  var letsStoreWin: Bool { self == .storeWins || self == .storeWinsPerProperty }
}

/// The result of a save.
public struct SaveResult: Sendable {
  /// The edits that were not stored, because the merge policy let the store win: for each object
  /// the values that were edited, and those that the store has instead.
  ///
  /// Empty when everything was stored, and always under a policy that does not let the store win.
  public internal(set) var overruled: [SaveConflict] = []
}

extension SaveConflict {
  /// The values that a save did not store of an object, which has read its row again since.
  ///
  /// - Parameters:
  ///   - changed: the slots that were edited; nil of a new object, which is all of them.
  ///   - base: the row as the context had read it.
  ///   - edited: the row as it was edited.
  /// - Returns: nil when everything was stored.
  init?(
    overruled object: ManagedObject, _ changed: SlotSet?, _ base: RowValues, _ edited: RowValues
  ) {
    let shape = object.home.shape
    let lost = shape.columns.filter {
      changed?.contains($0) != false && edited[$0] != object.row[$0]
    }
    guard !lost.isEmpty else { return nil }
    func named(_ values: RowValues, _ slots: [Int]) -> [String: Value] {
      Dictionary(uniqueKeysWithValues: slots.map { (shape.names[$0], values[$0]) })
    }
    self.init(
      objectID: object.objectID, committed: changed == nil ? [:] : named(base, shape.columns),
      edited: named(edited, lost), stored: named(object.row, shape.columns))
  }
}
