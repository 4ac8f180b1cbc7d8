/// Combinations of ``SyncOperations`` under numbers, for callers that keep the choice as a number.
///
/// All but ``all`` are about the objects of the synced entity alone: nested objects in to-many
/// relationships are neither inserted, updated nor deleted.
public enum CompatibleOperationOptions: Int, Sendable, Hashable, CaseIterable, Codable {
  case insert = 0
  case update = 1
  case delete = 2
  case insertUpdate = 3
  case insertDelete = 4
  case updateDelete = 5
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
