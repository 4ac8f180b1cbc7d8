/// The batches of a push of one zone, and where they have come to.
struct PushCourse {
  let zone: CloudZone
  var report = PushReport()

  /// The last record of the batch before; batches go by name.
  var cursor = ""

  /// Records in a batch; halved when the server does not take them.
  var size: Int

  /// Which records, and which of their files are on the server.
  let portion: AssetPortion

  /// Objects that its answers have deleted.
  var deleted = 0

  /// Records that the server says it takes.
  var largest: Int

  /// Failures since the last answer.
  var patience = CloudPatience()

  /// Records that failed alone since the last answer: their own fault, or the server's.
  var suspects: [(save: CloudSave, error: CloudError)] = []

  /// Records that failed alone while the server took others. They are passed over.
  var failed: [String: CloudError] = [:]

  /// Records that were written since the last pull.
  var unread = 0

  /// Records that failed alone in an earlier push: they come last, and one by one.
  var later: Set<String>
}
