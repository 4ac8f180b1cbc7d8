import Dispatch
import SyncCore
public import SyncStore

extension DataStack {
  /// Looks for everything in the store that no store writes: values and rows that another program,
  /// or a failing disk, left there.
  ///
  /// ```swift
  /// let report = try await stack.checkConsistency()
  /// if !report.isConsistent { print(report) }
  /// try await stack.checkConsistency(repairing: [.references, .links, .orders])
  /// ```
  ///
  /// It runs SQLite's own check of the file, and then looks at row numbers, versions, entities,
  /// counts, to-one relationships and links that lead to nothing, inverses that disagree, places in
  /// ordered lists, values that occur twice, fingerprints, sessions, the history and remote sync;
  /// see ``ConsistencyProblem/Kind``.
  ///
  /// - Parameter kinds: The kinds of problems to repair. All of it is one transaction: it is
  ///   repaired completely, or not at all. Only values that can be derived from the rest of the
  ///   file are; objects stay. Changes of relationships are a commit like any other, which contexts
  ///   merge and which the history records as made by a sync.
  /// - Returns: The problems, and with repairs those that were mended and those that remain.
  /// - Throws: `StoreError` when the file cannot be read at all, or cannot be written.
  /// - Complexity: reads the whole file, some parts of it several times. Without repairs, reads and
  ///   writes go on meanwhile.
  @discardableResult
  public func checkConsistency(
    repairing kinds: Set<ConsistencyProblem.Kind> = []
  ) async throws -> ConsistencyReport {
    let core = core
    return try await DispatchQueue.global().result {
      try core.checkConsistency(repairing: kinds)
    }
  }
}

extension StackCore {
  fileprivate func checkConsistency(
    repairing kinds: Set<ConsistencyProblem.Kind>
  ) throws -> ConsistencyReport {
    guard !kinds.isEmpty else {
      return ConsistencyReport(problems: try store().read { try $0.checkConsistency() })
    }
    let info = TransactionInfo(contextName: "repair", source: .import)
    return try storeForWriting("The store was repaired").write(info) { try $0.repair(kinds) }.0
  }
}
