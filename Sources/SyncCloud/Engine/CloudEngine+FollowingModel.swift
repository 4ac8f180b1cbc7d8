import SyncCore
import SyncGraph
import SyncStore

/// A model that is another one than that with which records were read last.
extension CloudEngine {
  /// Reads the records that an earlier model had to put aside, wholly or in part. An engine whose
  /// program ends meanwhile begins once more.
  func followModel() throws {
    let (store, model) = (try stack.store, stack.model.versionHash)
    guard try store.read({ try $0.remoteZone(zone.key)?.model }) != model else { return }
    // Edits from before are read first, as before every merge.
    let names = try write(to: store) { try $0.zoneNames() }
    for zone in names.map({ CloudZone(stored: $0, self.zone) }) {
      let kept = try write(to: store, in: zone) { try KeptRecords(writing: $0).take() }
      _ = try inHalves(kept[...]) { part in
        try write(Array(part), zone, to: store)
      } alone: { record in
        try setAside(record, zone, to: store)
      }
    }
    try write(to: store) { writing in
      // A renamed relationship is another one to all machines.
      try PairDrain(writing: writing).enrol()
      try ListDrain(writing: writing).enrol()
      writing.home.model = model
    }
  }
}
