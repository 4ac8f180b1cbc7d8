public import Observation
import SyncCore

/// The answer of a fetch, kept up to date: for lists on a screen, and for code that waits until an
/// answer becomes another one.
///
/// ```swift
/// let adults = try LiveResults(
///   Fetch<User>("age >= 18").sorted(by: "name"), in: stack.mainContext, sectionedBy: "company.name")
/// adults.onChange = { change in
///   table.delete(change.difference.deletions.map(change.oldPosition))
///   table.insert(change.difference.insertions.map(change.newPosition))
/// }
/// for await change in adults.changes { … }                      // the same, as a sequence
/// for await names in adults.values(\.name) { … }                // the whole list, each time
/// ```
///
/// It is observable: SwiftUI and `Observations { }` follow ``objects``, ``sections`` and ``error``,
/// besides the properties of the objects themselves (``ManagedObject``).
///
/// Unsaved changes of the context take part. Changes are told at the end of each block of the
/// context and when commits of others are merged; ``objects`` stays the same in between. The store
/// is asked again only when something was inserted, deleted, or changed in a property that filter,
/// order or sections look at, along relationships too; new values of other properties are told
/// without a statement.
///
/// Belongs to its context's queue as objects do. Sequences may be read anywhere and keep it alive.
public final class LiveResults<Object: ManagedObject>: Observable, @unchecked Sendable {
  // Unchecked: everything mutable is confined to the context's queue and every entry checks that;
  // the streams are in a mutex.

  /// The context whose objects these are.
  public let context: ManagedObjectContext
  /// Which objects are meant, and in which order.
  public let request: Fetch<Object>

  /// The key path whose values make the sections; nil is one section for all.
  let sectionKeyPath: String?

  /// Called on the context's queue after each change.
  public var onChange: ((LiveResultsChange) -> Void)? {
    get {
      context.check()
      return handler
    }
    set {
      context.check()
      handler = newValue
    }
  }

  let plan: FetchPlan
  private let resolved: ResolvedFetch
  private let sectionNames: ResolvedFetch?
  let watch: ResultsWatch
  private let streams = ResultsStreams()
  private let registrar = ObservationRegistrar()

  // Made once: in a generic class a key path is made anew wherever it is mentioned.
  private let objectsPath: KeyPath<LiveResults, [Object]> = \.objects
  private let sectionsPath: KeyPath<LiveResults, [LiveResultsSection]> = \.sections
  private let errorPath: KeyPath<LiveResults, (any Error)?> = \.error

  // MARK: Confined to the queue

  private var handler: ((LiveResultsChange) -> Void)?
  private(set) var list: [Object] = []
  private var keys: [Value] = []
  private var currentSections: [LiveResultsSection] = []
  private var places: [ObjectIdentifier: Int]?
  private var failure: (any Error)?

  /// Objects whose unsaved values touched watched properties when the answer was made.
  private(set) var edited: Set<ObjectIdentifier> = []

  /// Fetches, and keeps the answer up to date from now on. To be called on the context's queue.
  ///
  /// - Parameter sectionedBy: key path of an attribute, across to-one relationships too. Objects
  ///   are sorted by it first.
  /// - Throws: as ``ManagedObjectContext/fetch(_:)``.
  public init(
    _ request: Fetch<Object>, in context: ManagedObjectContext,
    sectionedBy sectionKeyPath: String? = nil
  ) throws {
    context.enter()
    self.context = context
    self.request = request
    self.sectionKeyPath = sectionKeyPath
    var plan = try context.plan(request)
    if let sectionKeyPath {
      if plan.sort.first?.keyPath != sectionKeyPath {
        plan.sort.insert(SortKey(sectionKeyPath), at: 0)
      }
      var names = FetchPlan(entity: plan.entity)
      names.output = .values([FetchColumn(sectionKeyPath)])
      sectionNames = try names.resolved()
    } else {
      sectionNames = nil
    }
    self.plan = plan
    resolved = try plan.resolved()
    watch = ResultsWatch(resolved)
    list = try fetch()
    (keys, currentSections) = try sections(of: list)
    context.addObserver(self)
  }

  // MARK: - The answer

  /// The objects, in order.
  public var objects: [Object] {
    context.check()
    registrar.access(self, keyPath: objectsPath)
    return list
  }

  /// The sections, in order; one with everything when there is no section key path, none when there
  /// are no objects.
  public var sections: [LiveResultsSection] {
    context.check()
    registrar.access(self, keyPath: sectionsPath)
    return currentSections
  }

  /// The objects of a section.
  public func objects(inSection section: Int) -> ArraySlice<Object> {
    context.check()
    registrar.access(self, keyPath: objectsPath)
    return list[currentSections[section].range]
  }

  /// The index of an object; nil when it is not in the list.
  public func index(of object: Object) -> Int? {
    context.check()
    registrar.access(self, keyPath: objectsPath)
    return place(of: object)
  }

  /// Why the list could not be brought up to date last time; nil when it is. The list stays as it
  /// was.
  public var error: (any Error)? {
    context.check()
    registrar.access(self, keyPath: errorPath)
    return failure
  }

  /// Asks the store again after any change.
  public func refetch() {
    context.enter()
    update { _ in false }
  }

  // MARK: - Sequences

  /// Every change from now on; the first inserts the present objects. Ends with nothing but its
  /// reader.
  public var changes: AsyncStream<LiveResultsChange> {
    context.check()
    let all = LiveResultsChange(
      difference: ResultsDifference(from: [], to: list.map(ObjectIdentifier.init)),
      identifiers: list.map(\.objectID), sectionDeletions: [],
      sectionInsertions: Array(currentSections.indices), oldSections: [],
      newSections: currentSections)
    return streams.make(keeping: self, first: all, buffering: .unbounded) { $0 }
  }

  /// The results of a function for each object, the whole list each time: first as it is, then
  /// after every change. A slow reader gets the newest list only.
  public func values<Element: Sendable>(
    _ transform: @escaping @Sendable (Object) -> Element
  ) -> AsyncStream<[Element]> {
    context.check()
    return streams.make(
      keeping: self, first: list.map(transform), buffering: .bufferingNewest(1)
    ) { [weak self] _ in self?.list.map(transform) ?? [] }
  }

  // MARK: - Bringing up to date

  private func fetch() throws -> [Object] {
    let found = try context.fetch(context.current(plan))
    if !request.prefetchedKeyPaths.isEmpty {
      try context.prefetch(request.prefetchedKeyPaths, of: found, plan.entity)
    }
    edited = Set(
      context.pending.updated.filter(watch.isAffected(byValuesOf:)).map(ObjectIdentifier.init))
    places = nil
    if let same = found as? [Object] { return same }
    return try found.map { try $0.typed(as: Object.self) }
  }

  private func sections(of objects: [Object]) throws -> ([Value], [LiveResultsSection]) {
    guard let sectionNames else {
      let all = LiveResultsSection(name: .null, range: objects.indices)
      return ([], objects.isEmpty ? [] : [all])
    }
    let keys = try objects.map { try resolved.sortPosition(of: $0).values[0] }
    var sections: [LiveResultsSection] = []
    var start = 0
    while start < keys.count {
      var end = start + 1
      while end < keys.count, keys[end] == keys[start] { end += 1 }
      let name = try sectionNames.values(over: [objects[start]]).first?.first ?? .null
      sections.append(LiveResultsSection(name: name, range: start..<end))
      start = end
    }
    return (keys, sections)
  }

  func update(_ isUpdated: (Object) -> Bool) {
    let old = (list: list, keys: keys, sections: currentSections)
    do {
      let found = try fetch()
      let (newKeys, newSections) = try sections(of: found)
      replace(found, newKeys, newSections)
      setFailure(nil)
    } catch {
      return setFailure(error)
    }
    let difference = ResultsDifference(
      from: old.list.map(ObjectIdentifier.init), to: list.map(ObjectIdentifier.init),
      isUpdatedAt: { isUpdated(list[$0]) },
      staysInSection: { sectionKeyPath == nil || old.keys[$0] == keys[$1] })
    tell(
      difference, old.sections, oldKeys: old.sections.map { old.keys[safe: $0.range.lowerBound] })
  }

  private func replace(_ found: [Object], _ newKeys: [Value], _ newSections: [LiveResultsSection]) {
    let isSame = list.elementsEqual(found, by: ===) && currentSections == newSections
    if !isSame {
      registrar.willSet(self, keyPath: objectsPath)
      registrar.willSet(self, keyPath: sectionsPath)
    }
    (list, keys, currentSections) = (found, newKeys, newSections)
    guard !isSame else { return }
    registrar.didSet(self, keyPath: objectsPath)
    registrar.didSet(self, keyPath: sectionsPath)
  }

  private func setFailure(_ error: (any Error)?) {
    guard failure != nil || error != nil else { return }
    registrar.withMutation(of: self, keyPath: errorPath) { failure = error }
  }

  private func tell(
    _ difference: ResultsDifference, _ oldSections: [LiveResultsSection], oldKeys: [Value]
  ) {
    guard !difference.isEmpty else { return }
    let newKeys = currentSections.map { keys[safe: $0.range.lowerBound] }
    let known = (old: Set(oldKeys), new: Set(newKeys))
    let change = LiveResultsChange(
      difference: difference, identifiers: list.map(\.objectID),
      sectionDeletions: oldKeys.indices.filter { !known.new.contains(oldKeys[$0]) },
      sectionInsertions: newKeys.indices.filter { !known.old.contains(newKeys[$0]) },
      oldSections: oldSections, newSections: currentSections)
    handler?(change)
    streams.yield(change)
  }

  /// Tells that objects have new values, in their places.
  func tellUpdates(at places: [Int]) {
    let sectionKeys = currentSections.map { keys[safe: $0.range.lowerBound] }
    tell(ResultsDifference(updates: places), currentSections, oldKeys: sectionKeys)
  }

  func place(of object: ManagedObject) -> Int? {
    if let places { return places[ObjectIdentifier(object)] }
    var places: [ObjectIdentifier: Int] = [:]
    places.reserveCapacity(list.count)
    for (index, object) in list.enumerated() { places[ObjectIdentifier(object)] = index }
    self.places = places
    return places[ObjectIdentifier(object)]
  }
}

extension [Value] {
  /// The key of a section; without section key path there are no keys, and one section.
  fileprivate subscript(safe index: Int) -> Value {
    indices.contains(index) ? self[index] : .null
  }
}
