import SyncCore

/// Stubs: objects that have nothing but the key by which the payload refers to them, made where the relationship says so
/// and nobody has the key. What comes later fills them.
extension Matcher {
  func makeStubs() throws {
    guard operations.contains(.insertRelationships) else { return }
    for batch in batches where !batch.stubs.isEmpty {
      let family = [batch] + batch.subentityBatches(among: batches)
      let missing = batch.stubs.sorted().filter { reference in
        let key = batch.references[reference]
        return batch.referenceStored[Int(reference)] < 0
          && family.allSatisfy { $0.index.find(identityOf: key) < 0 }
          && edits?.deletedObject(key, identity: batch.node.identity, of: batch.entity) == nil
      }
      guard !missing.isEmpty else { continue }
      var row = try reserveRows(missing.count, in: batch)
      for (step, reference) in missing.enumerated() {
        if step % SyncControl.stride == 0 { try control.checkpoint() }
        let place = batch.block.append()
        for slot in batch.node.identity {
          batch.block[place][slot] = batch.references[reference][slot]
        }
        var stub = Occurrence()
        stub.row = row
        stub.flags = [.reached, .decided, .inserted, .active]
        _ = batch.append(stub)
        _ = batch.index.findOrInsert(Int32(place))
        row += 1
      }
    }
  }
}
