import SyncStack

/// A diagnosis as JSON.
struct DiagnosisSummary: Encodable {
  var isHealthy = false
  /// Why the document was refused as a whole.
  var refusal: String?
  var missing: [LenientModel.MissingValues] = []
  var deletionMarks: [Diagnosis.DeletionMark] = []
  /// The remarks on an entity whose objects no key tells apart, and on the mapping.
  var remarks: [String] = []
  var report: SyncReport?

  init(refusal: String) { self.refusal = refusal }

  init(_ diagnosis: Diagnosis) {
    isHealthy = diagnosis.isHealthy
    missing = diagnosis.missing
    deletionMarks = diagnosis.deletionMarks
    remarks =
      (diagnosis.keyless.map { [KeyFinder.keyless($0)] } ?? [])
      + diagnosis.mapping.remarks.map(\.description)
    report = diagnosis.report
  }
}
