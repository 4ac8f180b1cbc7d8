import Foundation
public import SyncCore
import SyncStore
import Synchronization

/// A scratchpad over the store of a stack: objects, their unsaved changes, and a view of all
/// others.
///
/// A context is confined to one queue: the main queue for ``DataStack/mainContext``, a queue of its
/// own otherwise. Use it and its objects there only, through `perform(_:)` or
/// ``performAndWait(_:)``; use elsewhere stops the program with a message.
///
/// ```swift
/// let work = stack.newBackgroundContext()
/// try await work.perform {
///   let user = User(context: work)
///   user.name = "Ann"
///   try work.save()
/// }
/// ```
///
/// The commits of others are merged between blocks: when the next one begins, and by itself soon
/// after the commit. Values that a block has read stay as they were read until it ends, but for its
/// own edits, refusals of a save of its own, ``performAndWait(_:)`` of a child,
/// ``refresh(_:mergeChanges:)`` and ``processPendingChanges()``. On the main actor, outside of
/// `perform { }`, a block is the code between two suspensions; to wait for another context or a
/// sync ends it too. Unsaved values stay as they are and are seen by fetches. Nothing is ever saved
/// by itself. The ``mergePolicy`` decides a save of objects that were changed elsewhere.
///
/// Invariants:
/// 1. One object per identifier (`identities`).
/// 2. An object with unsaved changes is in `pending`. Others are let go of soon after the program
///    stopped holding them (`tidy`).
/// 3. Both sides of a relationship say the same, also while unsaved.
public final class ManagedObjectContext: @unchecked Sendable {
  // Unchecked: everything mutable is confined to `queue` and checked at every entry, but for
  // `settings` (a mutex), `inbox` (its own mutex) and `hasNews` (an atomic).

  /// Where a context runs.
  public enum Concurrency: Sendable, Hashable {
    /// On the main queue: for screens.
    case mainQueue
    /// On a serial queue of its own.
    case privateQueue
  }

  struct Settings {
    var name: String?
    var author: String?
    var mergePolicy: MergePolicy
  }

  /// How a context differs from an ordinary one.
  struct Options {
    var name: String?
    var mergePolicy = MergePolicy.error
    var isMerging = true
    var discardsOnSave = false
    var parent: ManagedObjectContext?
  }

  /// Which queue the context and its objects belong to.
  public let concurrency: Concurrency
  let core: StackCore
  let queue: ContextQueue
  let settings: Locked<Settings>
  let inbox = Inbox()
  let isMerging: Bool
  let discardsOnSave: Bool

  /// The context that this one reads from and saves into; nil for one that reads and writes the
  /// store.
  public let parent: ManagedObjectContext?

  /// Names the context in change sets, so that it does not merge its own.
  let origin: UInt64

  /// The observation of the objects; nil outside of the main queue.
  let observation: ObjectObservation?

  /// Whether `news` is not empty. Children look before they wait for the queue.
  let hasNews = Atomic<Bool>(false)

  // MARK: Confined to the queue

  var identities: IdentityTable
  var pending = PendingChanges()
  var overtaken = OvertakenRows()
  var unsavedMetadata = StoreMetadata()

  /// The first error of an access that cannot throw, in a damaged table.
  var damage: StoreError?
  var bindings: [ClassBinding]
  var homes: ObjectHomes

  /// Relationships of which lists may be loaded somewhere; the others need no look when rows
  /// change.
  var loadedRelationships: Set<PropertyKey> = []

  /// Set while a set of a to-many property is changed in place.
  var tracker: MemberTracker?

  /// How many calls of `perform(_:)` and the like are under way.
  var depth = 0

  /// The number of the queue's block in which the context has merged last.
  var mergedBlock: UInt64 = 0

  /// Objects that were edited here and turned out to be gone. A save tells of them.
  var vanished: [ManagedObject] = []
  var isSaving = false

  /// How many saves are done and still being told of, one inside the other.
  var savesToTell = 0

  /// How many insertions are under way, one inside the `awakeFromInsert()` of the other.
  var insertions = 0

  /// How many readings are being told of, one inside the `awakeFromFetch()` of the other.
  var awakenings = 0

  /// When code outside of blocks last had other processes' commits looked for.
  var latestLook: ContinuousClock.Instant?

  /// Objects that changed since observers were told last.
  var unannounced: [ManagedObject] = []
  var isAnnouncementScheduled = false
  var isTidyingScheduled = false

  /// Mail and notifications that an outer call is already busy with, in order.
  var mail: [Inbox.Mail] = []
  var isMergingMail = false
  var outgoing: [Notification] = []

  /// Contexts that read from this one, and changes that they were not told yet.
  var children: [WeakContext] = []
  var news = ChildNews()

  /// Permanent row numbers, by temporary ones, of objects that this context or a parent saved since
  /// this context was made; of its own those only of which the program may know the temporary
  /// identifier.
  var renamed: [Int64: Int64] = [:]

  /// Whether observers were not told of that yet: among equals, rows say which comes first.
  var isRenamed = false

  /// Stands above ``mergePolicy`` while ``updateAndSave(attempts:_:)`` runs.
  var imposedPolicy: MergePolicy?

  /// Live results and the like.
  var observers: [WeakContextObserver] = []
  var isPosting = false

  init(_ core: StackCore, _ queue: ContextQueue, _ options: Options) {
    self.core = core
    self.queue = queue
    concurrency = queue === ContextQueue.main ? .mainQueue : .privateQueue
    settings = Locked(Settings(name: options.name, author: nil, mergePolicy: options.mergePolicy))
    isMerging = options.isMerging
    discardsOnSave = options.discardsOnSave
    parent = options.parent
    origin = core.nextOrigin()
    observation = queue === ContextQueue.main ? ObjectObservation() : nil
    identities = IdentityTable(entityCount: core.model.entities.count)
    bindings = core.classes.current
    homes = ObjectHomes(entityCount: core.model.entities.count)
  }

  deinit {
    // Objects may outlive their context. They keep the values they have.
    homes.abandon()
    for object in identities.objects { object.links = [] }
  }

  // MARK: - Settings, from any queue

  /// A name for change sets and messages.
  public var name: String? {
    get { settings.withLock { $0.name } }
    set { settings.withLock { $0.name = newValue } }
  }

  /// The author of the changes, for change sets and history. Edits that a child hands over are
  /// committed under the author of the context that saves to the store.
  public var author: String? {
    get { settings.withLock { $0.author } }
    set { settings.withLock { $0.author = newValue } }
  }

  /// The treatment of rows that changed since the context read them, by a save; see
  /// ``MergePolicy``. In a child context it counts for objects that were deleted in the meantime
  /// only: other edits win, also over commits of others that the child has merged before it saves.
  public var mergePolicy: MergePolicy {
    get { settings.withLock { $0.mergePolicy } }
    set { settings.withLock { $0.mergePolicy = newValue } }
  }

  /// The stack that made the context; nil when it is gone.
  public var stack: DataStack? { core.stack }

  /// The model of the store.
  public var model: ManagedObjectModel { core.model }

  // MARK: - State

  /// Whether there is anything to save.
  public var hasChanges: Bool {
    check()
    return !pending.isEmpty || !unsavedMetadata.isEmpty
  }

  /// New objects that were not saved yet.
  public var insertedObjects: Set<ManagedObject> {
    check()
    return Set(pending.inserted)
  }

  /// Saved objects with unsaved values.
  public var updatedObjects: Set<ManagedObject> {
    check()
    return Set(pending.updated)
  }

  /// Saved objects whose deletion was not saved yet.
  public var deletedObjects: Set<ManagedObject> {
    check()
    return Set(pending.deleted)
  }

  /// All objects that are loaded, with and without changes.
  public var registeredObjects: Set<ManagedObject> {
    check()
    return Set(identities.objects)
  }

  // MARK: - Tidying

  /// Lets go of objects that are not held elsewhere, and of those that only they held.
  func tidy() {
    isTidyingScheduled = false
    while !identities.removeUnheld().isEmpty {}
  }

  /// Objects made outside of blocks, on the main queue, are looked through soon after.
  func scheduleTidying() {
    guard depth == 0, !isTidyingScheduled else { return }
    isTidyingScheduled = true
    queue.async { [weak self] in self?.tidy() }
  }

  // MARK: - Entering

  /// Takes notice of other processes' commits where there are no blocks that begin: not at each of
  /// many calls.
  func lookOutsideOfBlocks() {
    let now = ContinuousClock.now
    if let latestLook, now - latestLook < .milliseconds(10) { return }
    latestLook = now
    core.tellOfOthers()
  }

  /// Stops the program when the context is used on another queue.
  func check() {
    queue.check("The context\(name.map { " “\($0)”" } ?? "")")
  }

  /// The beginning of every public operation: the right queue, and the commits of others merged,
  /// unless the block has read something already.
  func enter() {
    check()
    mergeAtBeginning()
    if identities.isSweepOverdue { tidy() }
  }
}
