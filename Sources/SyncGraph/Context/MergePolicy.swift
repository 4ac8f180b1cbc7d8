/// What a save does with rows that changed since the context read them.
///
/// Merging a commit into a context never loses unsaved values: they stay and win when they are saved.
/// So a conflict is rare: somebody committed between the context's last look and its save, or the
/// context does not merge.
///
/// A deletion is in conflict too when the values of the object changed since the context read them. Only
/// ``error`` says so; under every other policy the object is deleted.
///
/// So is a relationship that a save would let lead to an object which is gone from the store: the policies
/// that let the store win empty it, and give up edits of an object that is gone; under the others the save
/// throws, and the error names both objects.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// The save throws ``GraphError/Code/conflict`` with both versions.
  case error
  /// Property by property: what changed in the store stays, the other edits are saved.
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
