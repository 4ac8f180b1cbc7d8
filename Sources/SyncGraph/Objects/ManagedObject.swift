public import SyncCore
import SyncStore

/// One object of a context: an identity, the row it was last read with, and its unsaved values.
///
/// Subclass it with property wrappers, with computed properties over ``value(forKey:)``, or use it
/// as it is with string keys:
///
/// ```swift
/// final class User: ManagedObject {
///   @PrimaryKey var id: Int64
///   @Attribute var name: String?
///   @ToMany(inverse: "user", deleteRule: .cascade) var notes: Set<Note>
/// }
/// let user = User(context: context)               // or context.insert(User.self)
/// user.name = "Ann"
/// user["name"] = "Ann"
/// ```
///
/// A context has at most one object of an identifier, so `===` and `==` say the same. Objects
/// belong to the queue of their context and cannot leave it: they are not `Sendable`, and use on
/// another queue stops the program with a message. Identifiers may go anywhere. Subclasses belong
/// to no actor either, also where `MainActor` is the default isolation of a module.
///
/// ## States
///
/// ```
///  fetched  ┌───────┐  first access   ┌───────┐   a value is set    ┌────────┐
/// ────────▶ │ fault │ ──────────────▶ │ clean │ ──────────────────▶ │ edited │
///           └───────┘ ◀────────────── └───────┘ ◀────────────────── └────────┘
///               ▲    changed elsewhere    ▲      save, rollback        │
///               │                         │ save                       │ delete
///           refresh                  ┌──────────┐   delete       ┌──────────┐  save   ┌───────────┐
///                        insert ───▶ │ inserted │ ─────────────▶ │ deleted  │ ──────▶ │ tombstone │
///                                    └──────────┘                └──────────┘         └───────────┘
/// ```
///
/// Invariants: `row` is none exactly in a fault; `committed` holds the row as last read exactly
/// while column values differ from it; `changed` names the slots that a save would write. A context
/// holds objects with unsaved changes; others it lets go of at the end of the block in which they
/// were last used, unless the program holds them.
///
/// ## At a glance
/// - Identity: ``objectID``, ``entity``, ``managedObjectContext``
/// - State: ``isFault``, ``isInserted``, ``isUpdated``, ``isDeleted``, ``hasChanges``
/// - Values: ``value(forKey:)``, ``setValue(_:forKey:)``, ``subscript(_:)``
/// - Changes: ``changedValues()``, ``committedValues(forKeys:)``
/// - For subclasses: ``awakeFromInsert()``, ``awakeFromFetch()``, ``willSave()``, ``didSave()``,
///   ``prepareForDeletion()``, ``validateForSave()``, ``validateForDelete()``
nonisolated open class ManagedObject {
  final let home: ObjectHome

  /// The number of the object's row; negative while it is new.
  final var rowNumber: Int64

  /// Current values by slot; a to-one is the destination's row number; none in a fault.
  final var row = RowValues.none
  final var flags: ObjectFlags = []

  /// The row as last read, while it differs from ``row``; else none.
  final var committed = RowValues.none

  /// Slots that a save would write, to-many ones included.
  final var changed = SlotSet()

  /// Version of the row as last read.
  final var version: Int64 = 0

  /// Loaded relationships by ordinal: an object for a to-one, a ``MemberList`` for a to-many; empty
  /// until the first is needed.
  final var links: [AnyObject?] = []

  /// The objects that were listed together with this one and are loaded together with it.
  final var batch: FaultBatch?
  final var batchIndex: Int32 = 0

  /// Called by contexts. Insert or fetch objects instead, or use ``init(context:)``.
  public required init(_ seed: ObjectSeed) {
    home = seed.home
    rowNumber = seed.row
  }

  /// Makes a new object in a context, as ``ManagedObjectContext/insert(_:)`` does:
  /// `let user = User(context: context)`.
  ///
  /// - Precondition: As for ``ManagedObjectContext/insert(_:)``.
  public convenience init(context: ManagedObjectContext) {
    context.enter()
    let binding = context.insertableBinding(Self.self)
    require(
      binding.type == Self.self,
      "\(binding.type) stands for \(Self.entityName), not \(Self.self). Make one of those.")
    let seed = context.newSeed(binding)
    let construction = WrapperConstruction.begin()
    self.init(seed)
    construction.end()
    context.insert(self, binding)
  }

  /// The class and the entity.
  final var binding: ClassBinding { home.binding }

  /// The context; nil when it is gone.
  final var owner: ManagedObjectContext? { home.context }

  final var identifier: ManagedObjectID {
    ManagedObjectID(entity: home.shape.entity, row: rowNumber)
  }

  /// Takes its place in a list of objects that are loaded together.
  final func join(_ batch: FaultBatch, at index: Int) {
    self.batch = batch
    batchIndex = Int32(truncatingIfNeeded: index)
  }

  /// Index of the root entity.
  final var root: Int { home.shape.root }

  /// Name of the entity that the class stands for; the name of the class unless overridden.
  open class var entityName: String { String(describing: self) }

  /// The name of the entity in an earlier version of the model, for models made of classes.
  open class var renamedFrom: String? { nil }

  /// Annotations of the entity, for models made of classes.
  open class var entityUserInfo: [String: String] { [:] }

  /// Whether the entity of the class is abstract, for models made of classes. The topmost class
  /// that says so is; classes that inherit it are not.
  open class var isAbstractEntity: Bool { false }

  /// Groups of property names whose values may occur once only, for models made of classes.
  open class var uniquenessConstraints: [[String]] { [] }

  /// Indexes that speed up fetching, for models made of classes; those of superclasses in the model
  /// hold for the class too.
  open class var fetchIndexes: [FetchIndexDescription] { [] }

  // MARK: - Identity

  /// The identifier; temporary until the object is saved for the first time. Its context, and
  /// filters that are used there, know the temporary one for ever.
  public final var objectID: ManagedObjectID {
    if flags.contains(.new) { flags.insert(.named) }
    return identifier
  }

  /// The entity of the object.
  public final var entity: EntityDescription { home.shape.entity }

  /// The context it belongs to; nil when the context is gone.
  public final var managedObjectContext: ManagedObjectContext? { owner }

  // MARK: - State

  /// Whether the values are still in the store only. They are read at the first access.
  public final var isFault: Bool { row.isNone }

  /// Whether it was inserted and not yet saved.
  public final var isInserted: Bool { flags.contains(.inserted) }

  /// Whether it was saved before and has unsaved values.
  public final var isUpdated: Bool { flags.contains(.updated) }

  /// Whether it was deleted, here and not yet saved, or for good. A fault looks whether its row is
  /// still there.
  public final var isDeleted: Bool {
    if isFault, !isKnownDeleted, owner != nil {
      checkAccess()
      fireFault()
    }
    return isKnownDeleted
  }

  /// Whether the context knows that it was deleted, without a look.
  final var isKnownDeleted: Bool { !flags.isDisjoint(with: [.deleted, .gone]) }

  /// Whether it was deleted elsewhere.
  final var isVanished: Bool { flags.contains(.vanished) }

  /// Whether a save has something to do for it.
  public final var hasChanges: Bool {
    !flags.isDisjoint(with: [.inserted, .updated, .deleted])
  }

  // MARK: - For subclasses

  /// Called once, when the object was inserted. Overrides may set values.
  open func awakeFromInsert() {}

  /// Called when values were read from the store. Overrides may set transient values of the object,
  /// which counts as no change; other values count as edits.
  open func awakeFromFetch() {}

  /// Called before each save in which the object takes part, before it is validated. Overrides may
  /// set values.
  open func willSave() {}

  /// Called after each save in which the object took part.
  open func didSave() {}

  /// Called before the object is deleted, while its relationships are still there.
  open func prepareForDeletion() {}

  /// Checks the object before a save: required values, limits, patterns and counts of the model.
  /// Overrides call super and add rules of their own; the save is refused with the broken rules of
  /// all objects at once.
  ///
  /// - Throws: ``GraphError`` with all rules that are broken, or errors of an override.
  open func validateForSave() throws {
    let failures = brokenRules()
    guard !failures.isEmpty else { return }
    throw GraphError(failures: failures)
  }

  /// Checks whether the object may be deleted, before the save that deletes it. Overrides throw, as
  /// in ``validateForSave()``, to refuse that save; ``ManagedObjectContext/rollback()`` brings the
  /// object back. Its relationships are undone by then; ``committedValues(forKeys:)`` has their
  /// former values.
  open func validateForDelete() throws {}
}

@available(
  *, unavailable,
  message: "An object belongs to the queue of its context. Hand its objectID over instead."
)
extension ManagedObject: Sendable {}

// MARK: - Hashable

extension ManagedObject: Hashable {
  /// The same object.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  public final func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
    // While a set of a to-many property is changed in place, this is how the context learns which
    // members to look at; see `MemberTracker`.
    if let tracker = owner?.tracker { tracker.touched.append(self) }
  }
}

extension ManagedObject: CustomStringConvertible {
  /// Entity, identifier, state and the attributes that have a value, the key first; never fires a
  /// fault.
  public var description: String {
    var state = isFault ? " fault" : ""
    if isKnownDeleted { state += " deleted" } else if isInserted { state += " inserted" }
    return "<\(type(of: self)) \(identifier)\(state)\(valuesText)>"
  }

  private var valuesText: String {
    guard !row.isNone else { return "" }
    let key = entity.primaryKey?.slot
    let attributes = entity.attributes.filter { !row.isNull($0.slot) }
    let sorted = attributes.filter { $0.slot == key } + attributes.filter { $0.slot != key }
    guard !sorted.isEmpty else { return "" }
    return " " + sorted.map { "\($0.name): \(row[$0.slot].excerpt)" }.joined(separator: ", ")
  }
}

/// The facts that a context keeps of an object besides its values.
struct ObjectFlags: OptionSet {
  let rawValue: UInt32

  static let inserted = ObjectFlags(rawValue: 1)
  static let updated = ObjectFlags(rawValue: 2)
  static let deleted = ObjectFlags(rawValue: 4)

  /// The row is gone for good, or never came to be.
  static let gone = ObjectFlags(rawValue: 8)

  /// Stands in the context's list of that name, current or not.
  static let listedInserted = ObjectFlags(rawValue: 16)
  static let listedUpdated = ObjectFlags(rawValue: 32)
  static let listedDeleted = ObjectFlags(rawValue: 64)

  /// Changed since the context last announced its changes.
  static let unannounced = ObjectFlags(rawValue: 128)

  /// Announced as inserted, so that later changes to it are announced as updates.
  static let announcedInsert = ObjectFlags(rawValue: 256)

  /// Was inserted in this context and not saved, whether it was deleted since or not: the store or
  /// parent that the context reads from never had it.
  static let new = ObjectFlags(rawValue: 512)

  /// Child contexts were told that it was inserted.
  static let told = ObjectFlags(rawValue: 1024)

  /// Was deleted in the parent of a child context while it has unsaved values in the child.
  static let lost = ObjectFlags(rawValue: 2048)

  /// Got values from the store and was not told yet.
  static let awakening = ObjectFlags(rawValue: 4096)

  /// Is being told that it will be deleted.
  static let preparing = ObjectFlags(rawValue: 8192)

  /// Is being told that values came in.
  static let awaking = ObjectFlags(rawValue: 16384)

  /// Was read by an observer of changes.
  static let observed = ObjectFlags(rawValue: 32768)

  /// Was deleted elsewhere. Also ``gone``.
  static let vanished = ObjectFlags(rawValue: 1 << 16)

  /// The log was told that a program uses it though it was deleted elsewhere.
  static let reported = ObjectFlags(rawValue: 1 << 17)

  /// The program asked for its identifier while it was new.
  static let named = ObjectFlags(rawValue: 1 << 18)
}
