import SyncCore
package import SyncStore

/// The end of a page session: references are linked whose object came with a later page, and what no
/// page mentioned is deleted.
package struct SessionEnd {
  let request: SyncRequest
  let state: SessionState
  let store: Store
  let control: SyncControl

  package init(_ request: SyncRequest, state: SessionState, store: Store, control: SyncControl) {
    self.request = request
    self.state = state
    self.store = store
    self.control = control
  }

  /// Runs on the calling thread, inside the store's gate.
  ///
  /// - Parameter check: Called inside the transaction before anything is decided, with whether there was any page.
  package func run(
    check: (_ hasPages: Bool, StoreReader) throws -> Void = { _, _ in }
  ) throws -> SyncReport {
    var request = request
    request.session = state
    request.payload = .json([])
    return try request.payload.withBytes { bytes in
      let pass = try SyncPass(request, bytes: bytes, control: control)
      defer { state.didFailPage() }
      // Where pages brought news, the log has begun.
      let changes = try store.write(request, control) { transaction in
        try pass.work(in: transaction) {
          try pass.readScope(in: $0)
          try check(state.hasPages, $0)
          try pass.end(in: $0)
        }
        try state.forget(in: transaction)
      }
      pass.count(changes)
      if !request.isDryRun { state.reset() }
      return pass.finishReport()
    }
  }
}
