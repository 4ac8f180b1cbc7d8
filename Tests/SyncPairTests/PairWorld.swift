import Foundation
import SyncStack
import TestSupport

/// A case: a server, a store that follows it, and the features that both have. Confined to its test.
final class PairWorld {
  let features: [PairFeature]
  let shape: PairShape
  let model: ManagedObjectModel
  let folder: TemporaryFolder
  var random: SeededGenerator
  var truth = PairTruth()

  /// The stack of the program, on a file.
  private(set) var stack: DataStack

  /// A context that lives as long as the stack and follows it.
  private(set) var context: ManagedObjectContext
  private var held: [ManagedObject] = []

  /// The edits that are saved and not sent.
  private(set) var edits: [PairEdit] = []
  private var editCount = 0

  /// The steps so far, for the report of a failure.
  private(set) var way: [String] = []

  /// The other machine and the other process of the features that have one.
  var machines: PairMachines?
  var other: DataStack?
  var outbox: Outbox?

  /// The metadata that the last sync brought.
  var cursor: Value?

  init(_ features: [PairFeature], seed: UInt64) throws {
    var shape = PairShape()
    for feature in features { feature.shape(&shape) }
    self.features = features
    self.shape = shape
    model = try ManagedObjectModel(shape.entities)
    random = SeededGenerator(seed: seed)
    folder = try TemporaryFolder()
    stack = try Self.open(model, features, folder.file())
    context = stack.newBackgroundContext()
  }

  deinit {
    try? other?.close()
    try? machines?.close()
    try? stack.close()
  }

  var tracksChanges: Bool { features.contains { $0.tracksChanges } }

  /// Opens a stack of the case: on its file, or an empty one in memory.
  static func open(
    _ model: ManagedObjectModel, _ features: [PairFeature], _ url: URL?
  ) throws -> DataStack {
    let stack = try DataStack(
      model: model, store: url.map { .sqlite($0) } ?? .inMemory,
      tracksChanges: features.contains { $0.tracksChanges },
      history: features.contains { $0.keepsValues } ? .values : nil)
    for feature in features { try feature.prepare(stack) }
    return stack
  }

  /// Closes the stack and opens its file again.
  func reopen() throws {
    try other?.close()
    (other, outbox) = (nil, nil)
    machines?.here = nil
    held = []
    try stack.close()
    stack = try Self.open(model, features, folder.file())
    context = stack.newBackgroundContext()
  }

  func note(_ step: String) { way.append(step) }

  func fail(_ text: String) throws { throw PairFailure(text) }

  // MARK: - Looking

  /// The objects of the store, seen by a context of their own.
  func picture(of stack: DataStack? = nil) throws -> [String] {
    let fresh = (stack ?? self.stack).newBackgroundContext()
    return try fresh.performAndWait { try PairPicture.lines(fresh, shape) }
  }

  func shots() throws -> [ManagedObjectID: PairPicture.Shot] {
    let fresh = stack.newBackgroundContext()
    return try fresh.performAndWait { try PairPicture.shots(fresh) }
  }

  /// Looks at what holds at any time.
  func check() async throws {
    let fresh = stack.newBackgroundContext()
    let stored = try fresh.performAndWait {
      try RelationshipSides.check(fresh, "in a new context")
      return try PairPicture.lines(fresh, shape)
    }
    await stack.drainNotifications()
    try lookAtHeldObjects(stored)
    try fresh.performAndWait { for edit in edits { try edit.check(in: fresh) } }
    for feature in features { try await feature.check?(self) }
  }

  /// A context that has followed the store shows the same as a new one.
  private func lookAtHeldObjects(_ stored: [String]) throws {
    let difference = try context.performAndWait {
      held = try PairPicture.all(context)
      try RelationshipSides.check(context, "in a context that followed")
      return PairPicture.difference(try PairPicture.lines(context, shape), stored)
    }
    if let difference { try fail("A context that followed differs:\n\(difference)") }
  }

  // MARK: - Editing

  /// Edits an object at random, and saves.
  ///
  /// - Parameter context: The context that edits; the one that follows the store unless given.
  /// - Parameter parent: A context that the first one saves into.
  func edit(
    in context: ManagedObjectContext? = nil, savingInto parent: ManagedObjectContext? = nil
  ) throws {
    let context = context ?? self.context
    let edit: PairEdit? = try context.performAndWait {
      let depots = try context.fetch(Fetch<ManagedObject>(entityNamed: "Depot", "id != nil"))
        .sorted { $0.objectID < $1.objectID }
      guard !depots.isEmpty else { return nil }
      let depot = random.pick(depots)
      let crates = RelationshipSides.targets(depot, "crates")
      editCount += 1
      let edit: PairEdit
      if shape.editsCrates, !crates.isEmpty, random.chance(50) {
        edit = PairEdit(random.pick(crates), in: depot, number: editCount)
      } else {
        edit = PairEdit(depot, in: depot, number: editCount)
      }
      context.object(with: edit.id).setValue(edit.text, forKey: edit.property)
      try context.save()
      return edit
    }
    try parent?.performAndWait { _ = try parent?.save() }
    guard let edit else { return }
    note("edit \(edit)")
    guard tracksChanges else { return }
    edits.removeAll { $0.id == edit.id }
    edits.append(edit)
  }

  /// Ends the day for the edits: they are sent, and the server takes them or does not.
  func settle() async throws {
    let takes = random.chance(50)
    let sent = edits
    for feature in features { try await feature.settle?(self) }
    if takes { for edit in sent { _ = edit.apply(to: &truth) } }
    if !sent.isEmpty { note("the server \(takes ? "takes" : "refuses") the edits") }
    edits = []
  }

  /// A feature has sent the edits: a payload may change what they changed, unless another sender
  /// has them before it.
  func forgetEdits(sentBy sender: String) {
    if features.allSatisfy({ !$0.tracksChanges || $0.name == sender }) { edits = [] }
  }
}
