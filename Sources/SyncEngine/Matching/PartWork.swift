import SyncCore
import SyncStore

/// What all phases of a part work with.
struct PartWork {
  let transaction: StoreTransaction
  let operations: SyncOperations
  /// What the payload said so far.
  let claims: Claims
  /// What the sync has to leave alone; nil when that is nothing.
  let edits: UnsentEdits?
  let report: ReportBuilder
  let control: SyncControl
}

/// A phase of the work on a part.
protocol PartPhase {
  var work: PartWork { get }
}

extension PartPhase {
  var transaction: StoreTransaction { work.transaction }
  var operations: SyncOperations { work.operations }
  var claims: Claims { work.claims }
  var edits: UnsentEdits? { work.edits }
  var report: ReportBuilder { work.report }
  var control: SyncControl { work.control }
}
