import SyncCore

/// The facts that items of one form share, so that they are kept once and not for each: the tables
/// of their rows, and their part of the report.
struct FingerprintShape: Hashable {
  struct Entry: Hashable {
    typealias List = Claims.Relationship

    let entity: Int
    let use: ItemContents.Use

    /// The relationship in whose list a member is nested.
    let list: List?

    /// Whether no other item may have to do with the row as long as the item counts as unchanged.
    var isHeld: Bool { use != .shared }
    var isDescribed: Bool { use == .described || use == .member }
    var isMember: Bool { use == .member || use == .listed }

    /// - Returns: Nil when the word is none that ``word`` gives.
    init?(_ word: UInt64) {
      guard let use = ItemContents.Use(rawValue: UInt8(truncatingIfNeeded: word)) else {
        return nil
      }
      self.use = use
      entity = Int(word >> 8 & 0xF_FFFF)
      let owner = Int(word >> 28 & 0xF_FFFF)
      list = owner > 0 ? List(entity: owner - 1, slot: Int(word >> 48)) : nil
    }

    var word: UInt64 { Entry.word(entity, use, list) }

    /// ```
    /// │ use: 8 bits │ entity: 20 │ 0, or one more than the entity of the list: 20 │ its slot: 16 │
    /// ```
    @inline(__always)
    static func word(_ entity: Int, _ use: ItemContents.Use, _ list: List?) -> UInt64 {
      let word = UInt64(use.rawValue) | UInt64(entity) << 8
      guard let list else { return word }
      return word | UInt64(list.entity + 1) << 28 | UInt64(list.slot) << 48
    }

    /// Whether the model has all that the entry names.
    func isKnown(to model: ManagedObjectModel) -> Bool {
      model.entities.indices.contains(entity) && list?.isKnown(to: model) != false
    }
  }

  /// One for each row of an item, the object at the top first.
  let entries: [Entry]
  let usage: ItemUsage

  var memberCount: Int { entries.count(where: \.isMember) }
}

/// The facts that the store keeps of a set of fingerprints beside its records.
struct FingerprintHead {
  /// Raised when the kept form changes its meaning.
  private static let format: UInt64 = 6

  var seed: UInt64
  /// Another number each time the set is kept.
  var revision: UInt64 = 0
  /// Bytes of all items of the set: how much it is worth.
  var byteCount = 0
  /// The relationships of which items speak.
  var spoken = SpokenRelationships()
  var shapes: [FingerprintShape] = []

  init(seed: UInt64) {
    self.seed = seed
  }

  // MARK: - As bytes

  var encoded: [UInt8] {
    var words = [FingerprintHead.format, seed, revision, UInt64(byteCount)]
    func append<T>(_ list: some Collection<T>, _ body: (T) -> Void) {
      words.append(UInt64(list.count))
      list.forEach(body)
    }
    append(spoken.words) { words.append($0) }
    append(shapes) { shape in
      append(shape.entries) { words.append($0.word) }
      append(shape.usage.filled) { words.append($0) }
      append(shape.usage.unused) { unused in
        words += [UInt64(unused.reader), UInt64(unused.count)]
        append(unused.key) { words.append(UInt64($0)) }
      }
    }
    return words.withUnsafeBytes { Array($0) }
  }

  /// - Returns: Nil when the bytes are none that ``encoded`` gives, or name something that the plan
  ///   does not have.
  init?(_ bytes: [UInt8], _ plan: MappingPlan) {
    var words = bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count & ~7, by: 8)
        .map { bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) }[...]
    }
    func list<T>(_ element: () -> T?) -> [T]? {
      guard let count = words.popFirst(), count <= UInt64(bytes.count) else { return nil }
      var result: [T] = []
      for _ in 0..<count {
        guard let next = element() else { return nil }
        result.append(next)
      }
      return result
    }
    func shape() -> FingerprintShape? {
      let entries = list { words.popFirst().flatMap(FingerprintShape.Entry.init) }
      let filled = list { words.popFirst() }
      let unused = list { () -> ItemUsage.UnusedKey? in
        guard let reader = words.popFirst(), let count = words.popFirst(),
          let key = list({ words.popFirst().map { UInt8(truncatingIfNeeded: $0) } })
        else { return nil }
        return ItemUsage.UnusedKey(
          reader: Int(truncatingIfNeeded: reader), key: key,
          count: Int(UInt32(truncatingIfNeeded: count)))
      }
      guard let entries, let filled, let unused,
        entries.allSatisfy({ $0.isKnown(to: plan.model) }), !entries.isEmpty
      else { return nil }
      return FingerprintShape(entries: entries, usage: ItemUsage(filled: filled, unused: unused))
    }
    guard words.popFirst() == FingerprintHead.format, let seed = words.popFirst(),
      let revision = words.popFirst(), let byteCount = words.popFirst(),
      let said = list({ words.popFirst() }), let spoken = SpokenRelationships(said, plan),
      let shapes = list(shape), words.isEmpty
    else { return nil }
    self.seed = seed
    self.revision = revision
    self.byteCount = Int(truncatingIfNeeded: byteCount)
    self.spoken = spoken
    self.shapes = shapes
  }
}

/// The relationships of which items speak. Where items mention one from both ends, its stored value
/// does not follow from one item alone.
struct SpokenRelationships {
  /// By the node of the plan.
  private var slots: [SlotSet] = []

  init() {}

  /// Those of which the items of a part speak.
  init(_ batches: [MatchedBatch]) {
    slots = batches.map { batch in
      let said = zip(batch.node.relationships, batch.mentions).filter { $1.count > 0 }
      return said.reduce(into: SlotSet()) { $0.insert($1.0.slot) }
    }
  }

  /// - Returns: Nil when the plan has none such.
  init?(_ words: [UInt64], _ plan: MappingPlan) {
    slots = Array(repeating: SlotSet(), count: plan.nodes.count)
    for word in words {
      let (node, slot) = (Int(word >> 32), Int(word & 0xFFFF_FFFF))
      guard plan.nodes.indices.contains(node),
        plan.nodes[node].relationshipRule(forSlot: slot) != nil
      else { return nil }
      slots[node].insert(slot)
    }
  }

  var words: [UInt64] {
    slots.enumerated().flatMap { node, slots in
      slots.map { UInt64(node) << 32 | UInt64($0) }
    }
  }

  mutating func formUnion(_ other: SpokenRelationships) {
    if slots.isEmpty { slots = other.slots }
    for (node, others) in other.slots.enumerated() { slots[node].formUnion(others) }
  }

  /// The relationships, each with the entity that a node of the plan fills.
  func ends(
    in plan: MappingPlan
  ) -> [(entity: EntityDescription, relationship: RelationshipDescription)] {
    zip(plan.nodes, slots).flatMap { node, slots in
      slots.compactMap { slot in
        node.entity.properties[slot].relationship.map { (node.entity, $0) }
      }
    }
  }
}
