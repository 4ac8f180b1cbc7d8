import SyncCore
import SyncStore

extension ManagedObjectContext {
  /// Fetches objects, unsaved changes considered: new objects that match are there, deleted ones
  /// are not, and edited ones count with the values they have here.
  ///
  /// - Throws: ``FilterError`` for mistakes in filter or order, ``GraphError`` when the class does
  ///   not fit, `StoreError` when the store cannot be read.
  public func fetch<Object: ManagedObject>(_ request: Fetch<Object>) throws -> [Object] {
    enter()
    let plan = try plan(request)
    let objects: [ManagedObject]
    if let size = request.fetchBatchSize, try !isOverlaid(plan) {
      objects = try fetchInBatches(plan, of: size)
    } else {
      objects = try fetch(plan)
    }
    if !request.prefetchedKeyPaths.isEmpty {
      try prefetch(request.prefetchedKeyPaths, of: objects, plan.entity)
    }
    return try typed(objects)
  }

  /// Counts the objects that a fetch would give, unsaved changes considered.
  ///
  /// - Throws: as ``fetch(_:)``.
  public func count<Object: ManagedObject>(_ request: Fetch<Object>) throws -> Int {
    enter()
    return try count(plan(request))
  }

  /// The plan of a request: its entity resolved, its class bound.
  func plan<Object: ManagedObject>(_ request: Fetch<Object>) throws -> FetchPlan {
    let entity: EntityDescription
    if let name = request.entityName {
      entity = try model.requireEntity(named: name)
    } else {
      guard Object.self != ManagedObject.self else {
        throw GraphError(
          .classMismatch,
          message: "Fetch<ManagedObject> does not say which entity: use Fetch(entityNamed:).")
      }
      entity = try bind(Object.self).shape.entity
    }
    var plan = FetchPlan(
      entity: entity, filter: request.filter, sort: request.sortKeys, limit: request.fetchLimit,
      offset: request.fetchOffset)
    plan.includesSubentities = request.includesSubentities
    return current(plan)
  }

  // MARK: - Plans

  func fetch(_ plan: FetchPlan) throws -> [ManagedObject] {
    switch try overlay(for: plan) {
    case .none:
      return try readObjects(plan)
    case .ownRows:
      let pending = pendingObjects(of: plan)
      var wider = plan
      wider.offset = 0
      // Each pending object takes at most one place in the answer of the store. A limit that no
      // number holds is none.
      let rest = Int.max - self.pending.count - max(plan.offset, 0)
      wider.limit = plan.limit.flatMap { max($0, 0) > rest ? nil : Int.max - rest + max($0, 0) }
      let stored = try readObjects(wider)
      return try arrange(stored.filter { !$0.hasChanges && !$0.isKnownDeleted } + pending, plan)
    case .everything:
      return try arrange(allObjects(of: plan), plan)
    }
  }

  func count(_ plan: FetchPlan) throws -> Int {
    switch try overlay(for: plan) {
    case .none:
      return try readCount(plan)
    case .ownRows:
      return try countBesidePending(plan)
    case .everything:
      return try fetch(plan).count
    }
  }

  /// Has the store count the rows that were not changed here, and counts the others in memory.
  private func countBesidePending(_ plan: FetchPlan) throws -> Int {
    let resolved = try current(plan).resolved()
    let matching = try pendingObjects(of: plan).count { try resolved.matches($0) }
    var rest = plan
    (rest.limit, rest.offset, rest.sort) = (nil, 0, [])
    let changed = [pending.updated, pending.deleted].joinedLists.filter {
      $0.root == plan.entity.rootIndex && !$0.flags.contains(.new)
    }
    var count = matching
    if changed.isEmpty {
      count += try readCount(rest)
    } else if changed.count <= 1_000 {
      // Not more: the list becomes part of the statement.
      let unchanged = !Filter("SELF IN %@", changed.map(\.objectID))
      rest.filter = rest.filter.map { $0 && unchanged } ?? unchanged
      count += try readCount(rest)
    } else {
      return try fetch(plan).count
    }
    return min(max(count - max(plan.offset, 0), 0), plan.limit.map { max($0, 0) } ?? .max)
  }

  /// The rows of a plan whose output is values; unsaved changes considered.
  func values(_ plan: FetchPlan) throws -> [[Value]] {
    if case .none = try overlay(for: plan) {
      return try readValues(plan)
    }
    let all = try allObjects(of: plan)
    return try current(plan).resolved().values(over: all)
  }

  // MARK: - Unsaved changes

  /// How far unsaved changes reach into an answer.
  private enum Overlay {
    /// There are none that could matter.
    case none
    /// Objects of the entity itself differ from their rows.
    case ownRows
    /// Objects that the filter or the order looks at across relationships do.
    case everything
  }

  /// Whether unsaved changes may be part of the answer, so that the store cannot give it alone.
  func isOverlaid(_ plan: FetchPlan) throws -> Bool {
    if case .none = try overlay(for: plan) { false } else { true }
  }

  private func overlay(for plan: FetchPlan) throws -> Overlay {
    guard !pending.isEmpty else { return .none }
    var roots: Set<Int> = []
    for object in pending.inserted + pending.updated + pending.deleted {
      roots.insert(object.root)
    }
    if !roots.isDisjoint(with: try plan.resolved().crossedRoots) { return .everything }
    return roots.contains(plan.entity.rootIndex) ? .ownRows : .none
  }

  /// The objects with unsaved changes that are of the plan's entity and were not deleted.
  private func pendingObjects(of plan: FetchPlan) -> [ManagedObject] {
    (pending.inserted + pending.updated).filter { object in
      guard includes(object, in: plan) else { return false }
      // Whether an object of which only lists were changed is still there shows when its row is
      // read.
      if object.isFault { fire(object) }
      return !object.isKnownDeleted
    }
  }

  private func includes(_ object: ManagedObject, in plan: FetchPlan) -> Bool {
    plan.includesSubentities
      ? object.entity.isKind(of: plan.entity) : object.entity == plan.entity
  }

  /// All objects of the plan's entity, under any filter.
  private func allObjects(of plan: FetchPlan) throws -> [ManagedObject] {
    var all = FetchPlan(entity: plan.entity)
    all.includesSubentities = plan.includesSubentities
    let stored = try readObjects(all)
    let inserted = pending.inserted.filter { includes($0, in: plan) }
    return stored.filter { !$0.isKnownDeleted } + inserted
  }

  /// Filters, sorts and cuts in memory an answer that the store could not give alone.
  private func arrange(_ objects: [ManagedObject], _ plan: FetchPlan) throws -> [ManagedObject] {
    let resolved = try current(plan).resolved()
    // Rows that the store found and that were not changed match; asking again is cheap and simple.
    let matching = try objects.filter { try resolved.matches($0) }
    return try resolved.places(of: matching).map { matching[$0] }
  }
}

extension ResolvedFetch {
  /// The root entities of objects that an answer depends on besides the objects it is about.
  fileprivate var crossedRoots: Set<Int> {
    var roots: Set<Int> = []
    func noteRoots(_ hops: ArraySlice<ResolvedHop>) {
      for hop in hops { roots.insert(hop.destination.rootIndex) }
    }
    func note(_ mention: ResolvedMention) {
      switch mention {
      case .attribute(let path, _): noteRoots(path.hops[...])
      // The last step is a column of the object before it.
      case .object(let path): noteRoots(path.hops.dropLast())
      case .members(let collection): noteRoots(collection.hops[...])
      case .endOfMembers: break
      }
    }
    filter?.forEachMention(note)
    for key in sort { key.expression.forEachMention(note) }
    for column in columns { column.expression?.forEachMention(note) }
    for group in groups ?? [] { group.forEachMention(note) }
    return roots
  }
}
