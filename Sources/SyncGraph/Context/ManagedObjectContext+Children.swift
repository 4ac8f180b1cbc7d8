import Dispatch
import SyncCore
import SyncStore
import Synchronization

/// Child contexts read from the objects of their parent and save into them; only a context without
/// a parent writes to the store.
///
/// ```
///            reads, saves (waits)              commits
///   child ────────────────────────▶ parent ────────────▶ store
///         ◀────────────────────────        ◀────────────
///          letters: unsaved changes, commits,   letters: commits of others
///          new identifiers
/// ```
///
/// Only a child waits for its parent's queue, never the other way round (``QueueWait`` deals with
/// programs that do): the changes of a parent go into the inboxes of its children. They are told of
/// its unsaved changes in the form of change sets whose generation is 0, and merge them like
/// commits.
extension ManagedObjectContext {
  struct WeakContext {
    weak var context: ManagedObjectContext?
  }

  /// Makes a context that reads from this one and saves into it: its objects are those of this
  /// context with their unsaved changes, and ``save()`` makes its changes unsaved changes of this
  /// context, in memory. Nothing is stored before this context saves too. For an editor that can be
  /// cancelled:
  ///
  /// ```swift
  /// let editor = stack.mainContext.newChildContext()
  /// let user = editor.object(with: original.objectID)
  /// user["name"] = "Ann"
  /// try editor.save()               // the main context has it, unsaved
  /// try stack.mainContext.save()    // the store has it
  /// ```
  ///
  /// Changes and merges of this context are merged into the child, as commits are merged into other
  /// contexts: unsaved values of the child stay on top, property by property, and win when it
  /// saves: over commits of others as well, which ``mergePolicy`` of this context calls no conflict
  /// if the child has merged them (``MergePolicy``). A save throws ``GraphError/Code/conflict``
  /// when the child edited an object that was deleted in the meantime, unless its ``mergePolicy``
  /// lets the store win. Relationships follow the same rule: changes that the child did not save
  /// are as if they were made just now, so both sides of every relationship agree, and none leads
  /// to an object that is gone.
  ///
  /// Objects that were inserted here have the same temporary identifier in the child; both change
  /// when this context saves. A child of a child works the same way.
  ///
  /// - Parameter concurrency: where the child runs; nil is the queue of this context. A child with
  ///   another queue waits for this context's queue whenever it reads.
  public func newChildContext(_ concurrency: Concurrency? = nil) -> ManagedObjectContext {
    let childQueue: ContextQueue =
      switch concurrency {
      case .mainQueue: .main
      case .privateQueue: ContextQueue(label: "a child context")
      case nil: queue
      }
    let child = core.makeContext(childQueue, .init(parent: self))
    queue.sync {
      tellChildren()
      children.removeAll { $0.context == nil }
      children.append(WeakContext(context: child))
      // It finds them here; no context has to tell it.
      for object in pending.inserted { object.flags.insert(.told) }
    }
    return child
  }

  /// Whether the context cannot work without the main queue.
  var needsMainQueue: Bool { concurrency == .mainQueue || parent?.needsMainQueue == true }

  // MARK: - Telling children

  /// Notes that children have to hear of an unsaved change.
  func noteForChildren(_ object: ManagedObject, _ slot: Int? = nil) {
    guard !children.isEmpty else { return }
    news.note(object, slot)
    hasNews.store(true, ordering: .releasing)
  }

  /// Tells children the noted changes.
  ///
  /// - Parameter child: knows already, because it made the changes.
  /// - Returns: the changes that were told.
  @discardableResult
  func tellChildren(except child: ManagedObjectContext? = nil) -> ChangeSet {
    guard hasNews.load(ordering: .relaxed) else { return ChangeSet() }
    let changes = news.take()
    tellChildren(changes, except: child)
    // Not before: a child that does not see it does not wait.
    hasNews.store(false, ordering: .releasing)
    return changes
  }

  /// Tells children of changes.
  func tellChildren(_ changes: ChangeSet, except child: ManagedObjectContext? = nil) {
    guard !changes.isEmpty else { return }
    post(.changes(changes), except: child)
  }

  /// Tells children that new objects were saved.
  ///
  /// - Parameter rows: permanent row numbers by temporary ones.
  func tellChildren(renamed rows: [Int64: Int64]) {
    guard !rows.isEmpty else { return }
    for case let child? in children.map(\.context) {
      if child.inbox.rename(rows) { child.kick() }
    }
  }

  /// Puts a letter into the inboxes of the children.
  func post(_ mail: Inbox.Mail, except child: ManagedObjectContext? = nil) {
    for case let other? in children.map(\.context) where other !== child { other.receive(mail) }
  }

  /// Takes a letter, on any queue.
  func receive(_ mail: Inbox.Mail) {
    if inbox.put(mail) { kick() }
  }

  /// Makes the context take notice. On the main queue, whose objects are read outside of blocks
  /// too, it does so as soon as it can; elsewhere with all letters of the next millisecond, unless
  /// a block has read them meanwhile: to wake a thread costs as much as a letter's commit.
  private func kick() {
    if queue === ContextQueue.main { return queue.async { [weak self] in self?.mergeInbox() } }
    core.kicks.post { [weak self] in
      guard let self, inbox.isFull else { return }
      queue.async { [weak self] in self?.mergeInbox() }
    }
  }

  // MARK: - Hearing from the parent

  /// Whether a child would hear something new, on any queue. News are on their way from the root
  /// down, first in the inbox, then in the hands of a context; a look in that order does not miss
  /// them.
  private var isWithNews: Bool {
    parent?.isWithNews == true || inbox.isFull || hasNews.load(ordering: .acquiring)
  }

  /// Whether the context is in the midst of a change, a save or a hook, where nothing is merged.
  private var isBusy: Bool { queue.isClosed || isSaving || insertions > 0 || awakenings > 0 }

  /// Makes the parent tell the changes that it did not tell yet.
  func hearFromParent() {
    guard let parent, parent.isWithNews else { return }
    parent.queue.sync(isReading: true) {
      // A block of the parent that waits for the child expects to see the changes of others; but
      // not one that is in the midst of something.
      if parent.queue === queue {
        parent.mergeAtBeginning()
      } else if !parent.isBusy {
        parent.mergeInbox()
      }
      parent.tellChildren()
    }
  }

  /// Runs the body while nothing changes in the source that the context reads from, and identifiers
  /// are those of the parent. Rows read one after the other in the body belong together.
  func withSource<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let parent else { return try body() }
    return try parent.queue.sync(isReading: true) {
      try parent.withSource {
        try queue.sync {
          rename(inbox.takeRenamed())
          return try body()
        }
      }
    }
  }

  /// Gives objects that the parent saved their permanent identifiers. Their values stay.
  func rename(_ rows: [Int64: Int64]) {
    guard !rows.isEmpty else { return }
    renamed.merge(rows) { _, new in new }
    isRenamed = true
    mail = mail.map { $0.renamed(rows) }
    for object in identities.objects {
      object.rename(rows)
      guard let row = rows[object.rowNumber] else { continue }
      identities.remove(root: object.root, row: object.rowNumber)
      object.rowNumber = row
      identities.insert(object)
    }
    tellChildren(renamed: rows)
  }

  /// The row number that an object has now that may have been saved since.
  func current(_ row: Int64) -> Int64 {
    row < 0 ? renamed[row] ?? row : row
  }

  /// The plan with the row numbers that objects of its filters have now, which may have been saved
  /// since they were made.
  func current(_ plan: FetchPlan) -> FetchPlan {
    renamed.isEmpty ? plan : plan.renamed(renamed)
  }

  /// An object is gone from the source that the context reads from. A child keeps an object with
  /// unsaved values, so that its save can tell the lost ones.
  func lose(_ object: ManagedObject) {
    guard parent != nil, object.isUpdated, !object.isFault else { return bury(object) }
    object.flags.insert(.lost)
    object.loosenLost()
  }
}

extension ManagedObject {
  /// Lets to-one relationships lead to objects by their new row numbers.
  fileprivate final func rename(_ rows: [Int64: Int64]) {
    for relationship in binding.shape.relationships where !relationship.isToMany {
      let slot = relationship.slot
      if !row.isNone, case .int(let target) = row[slot], let new = rows[target] {
        row[slot] = .int(new)
      }
      if !committed.isNone, case .int(let target) = committed[slot], let new = rows[target] {
        committed[slot] = .int(new)
      }
    }
  }
}

extension Inbox.Mail {
  /// The same letter about objects with other row numbers.
  func renamed(_ rows: [Int64: Int64]) -> Inbox.Mail {
    switch self {
    case .changes(let changes): .changes(changes.renamed(rows))
    case .unlisted, .dropped: self
    }
  }
}
