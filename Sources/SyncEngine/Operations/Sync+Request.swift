import Foundation
import SyncCore
import SyncGraph
import SyncStore

/// From the settings of an operation to a run of the engine.
extension Sync {
  var store: Store {
    get throws { try context?.store ?? dataStack.store }
  }

  func run() throws -> SyncReport {
    let store = try store
    let stepObserver = stepObserver
    let pace = StepPace()
    control.observe { [unowned self] step in
      if pace.isDue(step) {
        follower.follow(step)
        feed.follow(step, follower)
        announcer.announce(step, of: self)
      }
      stepObserver?(step)
      // Its cancellation handler comes on a queue of its own, which may be too late for a short
      // sync.
      if follower.isCancelled { cancel() }
    }
    defer { control.observe(nil) }
    let runner = SyncRunner(store: store, control: control, priority: queuePriority.rawValue)
    switch work {
    case .payload(let payload):
      return try runner.run(request(payload))
    case .replay(let rows):
      var request = try request(.json([]))
      QuarantineReplay(rows: rows).prepare(&request)
      return try runner.run(request)
    case .page(let payload, let session, let page):
      var request = try request(payload)
      request.session = session.state
      if case .name(let name) = page { request.pageName = name }
      return try runner.run { enter in
        let report = try SyncRun(request, store: store, control: control).run {
          try enter()
          try session.prepare(store, control)
          if !request.setup.isDryRun { try session.begin(in: store) }
        }.report
        session.didStore(self, page)
        return report
      }
    case .end(let session):
      let request = try request(.json([]))
      return try runner.run { enter in
        try enter()
        try session.prepare(store, control)
        return try SyncRun(request, store: store, control: control)
          .end(session.state) { try session.checkPages($0, in: $1) }
      }
    }
  }

  private func request(_ payload: SyncPayload) throws -> SyncRequest {
    let prepared = prepared.withLock { $0 }
    try prepared.setup.check()
    let plan = try dataStack.mappingPlans.plan(for: prepared.source, in: dataStack.model)
    var request = SyncRequest(plan: plan, payload: payload, setup: prepared.setup)
    request.takesMembers = plan.rootNode.takesMembers
    request.name = name
    context?.complete(&request)
    request.limitToPlan()
    if let delegate = prepared.delegate {
      request.hooks.willInsert = { [unowned self] item, entity, parent in
        try delegate.sync(self, willInsert: item, in: entity.name, parent: parent)
      }
    }
    return request
  }
}

/// What a sync operation works off.
enum SyncWork: Sendable {
  case payload(SyncPayload)
  /// One of the payloads of a session.
  case page(SyncPayload, SyncSession, SyncSession.PageID)
  /// Items that were kept because they could not be stored.
  case replay([QuarantinedRow])
  /// The deletions of a session.
  case end(SyncSession)
}
