import SyncStack

/// A diagnosis as JSON.
struct DiagnosisSummary: Encodable {
  /// A property that requires a value, and how many objects have none.
  struct Missing: Encodable {
    let entity: String
    let property: String
    let count: Int
  }

  struct DeletionMark: Encodable {
    let entity: String
    let key: String
  }

  var isHealthy = false
  /// Why the document was refused as a whole.
  var refusal: String?
  var missing: [Missing] = []
  var deletionMarks: [DeletionMark] = []
  /// The remarks on an entity whose objects no key tells apart, and on the mapping.
  var remarks: [String] = []
  var report: SyncReport?

  init(refusal: String) { self.refusal = refusal }

  init(_ diagnosis: Diagnosis) {
    isHealthy = diagnosis.isHealthy
    missing = diagnosis.missing.map {
      Missing(entity: $0.entity, property: $0.property, count: $0.count)
    }
    deletionMarks = diagnosis.deletionMarks.map { DeletionMark(entity: $0.entity, key: $0.key) }
    remarks =
      (diagnosis.keyless.map { [KeyFinder.keyless($0)] } ?? [])
      + diagnosis.mapping.remarks.map(\.description)
    report = diagnosis.report
  }
}
