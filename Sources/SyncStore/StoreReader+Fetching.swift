package import SyncCore

extension StoreReader {
  /// Reads the rows that a plan asks for, in its order.
  package func fetch(_ plan: FetchPlan) throws -> [StoredRow] {
    throw StoreError(.unsupported, message: "Fetch plans are not translated yet.")
  }

  /// Reads the identifiers of the objects that a plan asks for, in its order.
  package func fetchIdentifiers(_ plan: FetchPlan) throws -> [ManagedObjectID] {
    throw StoreError(.unsupported, message: "Fetch plans are not translated yet.")
  }

  /// Counts the objects that a plan asks for.
  package func count(_ plan: FetchPlan) throws -> Int {
    throw StoreError(.unsupported, message: "Fetch plans are not translated yet.")
  }

  /// Reads the values that a plan asks for: one list per object or group, in the order of its columns.
  package func fetchValues(_ plan: FetchPlan) throws -> [[Value]] {
    throw StoreError(.unsupported, message: "Fetch plans are not translated yet.")
  }
}
