import SyncCore
import SyncStore

/// What became of a save.
public struct SaveResult: Sendable {
  /// The edits that were not stored, because the merge policy let the store win: for each object
  /// the values that were edited, and those that the store has instead.
  ///
  /// Empty when everything was stored, and always under a policy that does not let the store win.
  public internal(set) var overruled: [SaveConflict] = []
}

extension SaveConflict {
  /// What a save did not store of an object, which has read its row again since.
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
