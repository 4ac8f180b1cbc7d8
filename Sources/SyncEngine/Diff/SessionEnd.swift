import SyncCore
package import SyncStore

/// The end of a page session: references are linked whose object came with a later page, and what no
/// page mentioned is deleted.
package struct SessionEnd {
  let request: SyncRequest
  let state: SessionState
  let store: Store
  let control: SyncControl

  package init(
    _ request: SyncRequest, state: SessionState, store: Store, control: SyncControl
  ) {
    self.request = request
    self.state = state
    self.store = store
    self.control = control
  }

  /// Runs on the calling thread, inside the store's gate.
  package func run() throws -> SyncReport {
    var request = request
    request.session = state
    request.payload = .json([])
    return try request.payload.withBytes { bytes in
      let pass = try SyncPass(request, bytes: bytes, control: control)
      // Where pages brought news, the log has begun.
      let changes = try store.write(request, control, beginsLog: false) { transaction in
        try pass.work(in: transaction) {
          try pass.readScope(in: $0)
          try pass.end(in: $0)
        }
        try state.forget(in: transaction)
      }
      pass.count(changes)
      if !request.isDryRun { state.reset() }
      return pass.finishReport()
    }
  }

  /// Forgets the session. Nothing is deleted, but objects that pages nested and that nobody else listed move, as
  /// they would have at the end.
  ///
  /// Runs on the calling thread, inside the store's gate.
  package func abandon() throws {
    var request = request
    request.session = state
    request.payload = .json([])
    try request.payload.withBytes { bytes in
      let pass = try SyncPass(request, bytes: bytes, control: control)
      _ = try store.write(request, control, beginsLog: false) { transaction in
        if !state.claims.standIns.isEmpty {
          try pass.work(in: transaction) { try pass.moveStandIns(in: $0) }
        }
        try state.forget(in: transaction)
      }
    }
    state.reset()
  }
}
