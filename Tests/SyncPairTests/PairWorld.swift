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

  /// The keys of depots that were deleted here, those of the crates that went with them, and the
  /// depots that were made here, which is not sent.
  private(set) var deleted: Set<Int64> = []
  private(set) var deletedCrates: Set<String> = []
  private(set) var made: Set<ManagedObjectID> = []

  /// The list that a screen shows, in the context that follows.
  var list: LiveResults<ManagedObject>?

  /// How many payloads came as files, and the last payload, for the report of a failure.
  var payloadCount = 0
  var lastPayload = ""

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
    // A sender counts from its first acknowledgement on.
    try acknowledge()
  }

  private func acknowledge() throws {
    guard features.contains(where: { $0.acknowledges }) else { return }
    try stack.acknowledge(through: stack.latestHistoryToken(), for: "server")
  }

  deinit {
    try? other?.close()
    try? machines?.close()
    try? stack.close()
  }

  /// Whether a payload may not yet change all that it says.
  var hasUnsent: Bool { !edits.isEmpty || !deleted.isEmpty || !made.isEmpty }

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
    (other, outbox, list) = (nil, nil, nil)
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
    try fresh.performAndWait {
      for edit in edits { try edit.check(in: fresh) }
      for id in made where (try? fresh.existingObject(with: id)) == nil {
        try fail("\(id) was made here, is not sent, and is lost.")
      }
    }
    for key in deleted where stored.contains(where: { $0.hasPrefix("Depot \(key):") }) {
      try fail("Depot \(key) was deleted here, which is not sent, and is back.")
    }
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

  /// Deletes a depot here, or makes one.
  func deleteDepot() throws {
    try context.performAndWait {
      let depots = try context.fetch(Fetch<ManagedObject>(entityNamed: "Depot", "id != nil"))
        .sorted { $0.objectID < $1.objectID }
      guard let depot = depots.randomElement(using: &random) else { return }
      let key = depot.value(forKey: "id", as: Int64.self) ?? 0
      note("deletes depot \(key)")
      deletedCrates.formUnion(RelationshipSides.targets(depot, "crates").map { PairTruth.key($0) })
      context.delete(depot)
      try context.save()
      deleted.insert(key)
      made.remove(depot.objectID)
      edits.removeAll { (try? context.existingObject(with: $0.id)) == nil }
    }
  }

  /// Makes a depot here.
  ///
  /// - Parameter hasKey: Whether it has a key, or gets one from the server.
  @discardableResult
  func makeDepot(hasKey: Bool) throws -> ManagedObjectID {
    let id = try context.performAndWait {
      let depot = try context.insert(entityNamed: "Depot")
      depot.setValue("made here", forKey: "name")
      editCount += 1
      if hasKey { depot.setValue(Int64(7_000 + editCount), forKey: "id") }
      if shape.hasCode { depot.setValue("here", forKey: "code") }
      try context.save()
      return depot.objectID
    }
    note("makes \(id)")
    made.insert(id)
    return id
  }

  /// Ends the day for the edits: they are sent, and the server takes them or does not.
  func settle() async throws {
    let takes = random.chance(50)
    let sent = edits
    for feature in features { try await feature.settle?(self) }
    try acknowledge()
    if takes {
      for edit in sent { _ = edit.apply(to: &truth) }
      for key in deleted.sorted() {
        if let index = truth.depots.firstIndex(where: { $0.id == key }) { truth.remove(at: index) }
      }
    }
    if !sent.isEmpty { note("the server \(takes ? "takes" : "refuses") the edits") }
    forgetEdits()
  }

  private func forgetEdits() {
    (edits, deleted, deletedCrates, made) = ([], [], [], [])
  }

  /// Features have sent the edits: a payload may change what they changed, unless another sender
  /// has them before it.
  func forgetEdits(sentBy senders: Set<String>) {
    if features.allSatisfy({ !$0.tracksChanges || senders.contains($0.name) }) { forgetEdits() }
  }
}
