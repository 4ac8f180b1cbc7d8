import Dispatch
import Foundation
import SyncCore
import SyncGraph
import SyncStore

/// From the queue into the store.
extension Sync {
  /// Syncs on this thread, makes room for others, and finishes.
  func perform(leaving leave: () -> Void) {
    announce(.start)
    let result = Result { try report() }
    if let context, context.isCurrent { context.mergeCommits() }
    ManagedObjectContext.hasWaited()
    leave()
    finish(with: result)
  }

  /// Waits without a thread until it is admitted, and goes on on one of its own: the system has few
  /// (platform: the pool grows by one a second), and this one may still have to wait at the gate.
  func wait(in waitingRoom: WaitingRoom) {
    let seat = waitingRoom.enter(priority: queuePriority.rawValue) { [self] seat in
      let thread = Thread { [self] in perform { waitingRoom.leave(seat) } }
      thread.name = "SyncStack.sync"
      thread.qualityOfService = qualityOfService
      thread.start()
    }
    state.withLock { $0.place = (waitingRoom, seat) }
    // It may have been cancelled before there was a seat to give up.
    if isCancelled { withdraw() }
  }

  /// Gives the place up where it waits.
  func withdraw() {
    guard let place = state.withLock({ $0.place }), place.waitingRoom.withdraw(place.seat) else {
      return
    }
    DispatchQueue.global().async { [self] in finish(with: .failure(CancellationError())) }
  }
}

/// Handing out the result of a sync.
extension Sync {
  /// Calls a completion handler on the main queue, with the error if there was one.
  func deliver(to completion: @escaping @Sendable ((any Error)?) -> Void) {
    deliver { (result: SyncResult<SyncReport>) in completion(result.error) }
  }

  /// Calls a completion handler on the main queue.
  func deliver(to completion: @escaping @Sendable (SyncResult<SyncReport>) -> Void) {
    whenFinished { result in
      DispatchQueue.main.async {
        switch result {
        case .success(let report): completion(.success(report))
        case .failure(let error): completion(.failure(error))
        }
      }
    }
  }

  /// Notes that the operation is about to be added to a queue: a second time throws.
  ///
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest`` when it was done, or the
  ///   operation was started.
  func claimRun(on queue: OperationQueue) throws {
    let isFirst = state.withLock { state in
      defer { state.isClaimed = true }
      return !state.isClaimed
    }
    guard isFirst, !isExecuting, !isFinished, !queue.operations.contains(self) else {
      throw SyncError(
        .invalidRequest, entity: entityName,
        message: """
          A sync runs once, and this one has run already or is about to. Make a new Sync for each run, or \
          wait for this one with whenFinished(_:).
          """)
    }
  }

  /// Runs on the calling thread, now.
  func runNow() throws -> SyncReport {
    start()
    guard let result else { throw CancellationError() }
    return try result.get()
  }
}

/// From the settings of an operation to a run of the engine.
extension Sync {
  var store: Store {
    get throws { try context?.store ?? dataStack.store }
  }

  /// Has the engine do the work, behind the gate of the store.
  private func report() throws -> SyncReport {
    let store = try store
    observeSteps()
    defer { control.observe(nil) }
    let gate = try SyncGate(store, control, priority: queuePriority.rawValue)
    defer { gate.leave() }
    let setup = prepared.withLock { $0.setup }
    switch work {
    case .payload(let payload):
      return try SyncRun(request(payload), store: store, control: control)
        .run(enter: gate.enter).report
    case .replay(let rows):
      var request = try request(.json([]))
      QuarantineReplay(rows: rows).prepare(&request)
      return try SyncRun(request, store: store, control: control).run(enter: gate.enter).report
    case .lists(let lists):
      try SyncList.check(lists, setup)
      let requests = try lists.enumerated().map { index, list in
        let source = list.list.source
        var made = try request(list.payload, from: source, list.setup(in: setup))
        made.place = PlaceOfPage(list: index)
        return made
      }
      return try PagesRun(
        requests, ends: true, lists: { requests }, store: store, control: control
      ).run(enter: gate.enter).report
    case .pages(let pages, let session, let ends):
      let requests = try SessionRequests(self, session, setup)
      let report = try PagesRun(
        try pages.map { try requests.of($0, at: pages.count == 1 ? setup.path : $0.path) },
        of: session.state, ends: ends, expecting: session.expectedCounts,
        knownPages: session.knownPages,
        lists: { try requests.ofLists }, store: store, control: control
      ).run {
        try gate.enter()
        try session.prepare(store, control)
        if !setup.isDryRun, !pages.isEmpty { try session.begin(in: store) }
      } check: {
        try session.checkPages(beside: pages, in: $0)
      }.report
      session.didStore(pages, of: self)
      return report
    }
  }

  private func observeSteps() {
    let stepObserver = stepObserver
    control.observe { [unowned self] step in
      let isTold = tracker.follow(step)
      if isTold { announce(.init(step, fraction: tracker.fractionCompleted)) }
      stepObserver?(step)
      // Its cancellation handler comes on a queue of its own, which may be too late for a short
      // sync.
      if isTold, tracker.isCancelled { cancel() }
    }
  }

  private func request(_ payload: SyncPayload) throws -> SyncRequest {
    let prepared = prepared.withLock { $0 }
    return try request(payload, from: prepared.source, prepared.setup)
  }

  /// The request for a payload by a source and a setup.
  func request(
    _ payload: SyncPayload, from source: some PlanSource, _ setup: SyncSetup
  ) throws -> SyncRequest {
    try setup.check()
    let plan = try dataStack.mappingPlans.plan(for: source, in: dataStack.model)
    var request = SyncRequest(plan: plan, payload: payload, setup: setup)
    request.takesMembers = plan.rootNode.takesMembers
    request.name = name
    context?.complete(&request)
    request.limitToPlan()
    if let delegate {
      request.hooks.willInsert = { [unowned self] item, entity, parent in
        try delegate.sync(self, willInsert: item, in: entity.name, parent: parent)
      }
    }
    return request
  }
}

/// The work of a sync operation.
enum SyncWork: Sendable {
  case payload(SyncPayload)
  /// Several lists at once.
  case lists([SyncList])
  /// Pages of a session in one transaction, and the end of the session if it follows them.
  case pages([SyncSession.Page], SyncSession, ends: Bool)
  /// Items that were kept because they could not be stored.
  case replay([QuarantinedRow])

  /// The pages of a session.
  var pages: [SyncSession.Page] {
    if case .pages(let pages, _, _) = self { pages } else { [] }
  }
}
