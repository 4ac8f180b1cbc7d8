import SyncCore

/// Stubs: objects that have nothing but the key by which the payload refers to them, made where the relationship says so
/// and nobody has the key. What comes later fills them.
extension Matcher {
  func makeStubs() throws {
    guard operations.contains(.insertRelationships) else { return }
    for batch in batches where !batch.staged.references.stubs.isEmpty {
      let family = [batch] + batch.subentityBatches(among: batches)
      let missing = batch.staged.references.stubs.sorted().filter { reference in
        let key = batch.staged.references[reference]
        return batch.references.first[Int(reference)] < 0
          && family.allSatisfy { $0.occurrence { key[$0] } < 0 }
          && edits?.deletedObject(key, identity: batch.node.identity, of: batch.entity) == nil
      }
      guard !missing.isEmpty else { continue }
      var row = try reserveRows(missing.count, in: batch)
      for (step, reference) in missing.enumerated() {
        if step % SyncControl.stride == 0 { try control.checkpoint() }
        batch.appendStub(ofKey: batch.staged.references[reference], row: row)
        row += 1
      }
    }
  }
}
