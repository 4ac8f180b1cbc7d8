/// Combinations of ``SyncOperations`` under numbers, for callers that keep the choice as a number.
///
/// All but ``all`` are about the objects of the synced entity alone: nested objects in to-many
/// relationships are neither inserted, updated nor deleted.
public enum CompatibleOperationOptions: Int, Sendable, Hashable, CaseIterable, Codable {
  /// New objects are stored, and nothing else is done.
  case insert = 0
  /// Stored objects take the values of their items.
  case update = 1
  /// Stored objects go that no item names.
  case delete = 2
  /// New objects are stored, and stored ones updated.
  case insertUpdate = 3
  /// New objects are stored, and those go that no item names.
  case insertDelete = 4
  /// Stored objects are updated, and those go that no item names.
  case updateDelete = 5
  /// Everything, nested objects included.
  case all = 6

  /// The set of options that the number stands for.
  public var operations: SyncOperations {
    switch self {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    case .insertUpdate: [.insert, .update]
    case .insertDelete: [.insert, .delete]
    case .updateDelete: [.update, .delete]
    case .all: .all
    }
  }
}
