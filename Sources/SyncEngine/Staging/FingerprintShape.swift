import SyncCore

/// What items of one form have in common, so that it is kept once and not for each: what their rows
/// are, and what the report has to say about them.
struct FingerprintShape: Hashable {
  /// How an item has to do with a row.
  enum Use: UInt32 {
    /// Describes it.
    case described
    /// Describes it as a member of its own list.
    case member
    /// Refers to it by its key in a relationship in which nobody else may have it.
    case taken
    /// Lists it by its key among its own members.
    case listed
    /// Refers to it by its key, as others may.
    case shared
  }

  struct Entry: Hashable {
    let entity: Int
    let use: Use

    /// Whether nobody else may have to do with the row as long as the item counts as unchanged.
    var isHeld: Bool { use != .shared }
    var isDescribed: Bool { use == .described || use == .member }
    var isMember: Bool { use == .member || use == .listed }
  }

  struct Filled: Hashable {
    /// Who read the objects: a node of the plan, or what a source of nested objects says, numbered behind the nodes.
    let node: Int
    /// A bit for each attribute rule that was filled.
    let rules: [UInt64]
  }

  struct UnusedKey: Hashable {
    /// As in ``Filled``.
    let node: Int
    let key: [UInt8]
    let count: Int
  }

  /// A relationship that is spoken of.
  struct Mention: Hashable {
    let node: Int
    let rule: Int
    /// Whether the object at the top nests others in it.
    let nestsAtTop: Bool
  }

  /// One for each row of an item, the object at the top first.
  var entries: [Entry] = []
  var filled: [Filled] = []
  var unused: [UnusedKey] = []
  var mentions: [Mention] = []

  var memberCount: Int { entries.count(where: \.isMember) }
}

// MARK: - As bytes

/// Shapes and the seed of a set of fingerprints, as the store keeps them.
struct FingerprintHead {
  /// Raised when what is kept means something else.
  private static let format: UInt64 = 2

  var seed: UInt64
  /// Bytes of all items of the set: how much it is worth.
  var byteCount: Int
  var shapes: [FingerprintShape]

  init(seed: UInt64, byteCount: Int = 0, shapes: [FingerprintShape] = []) {
    self.seed = seed
    self.byteCount = byteCount
    self.shapes = shapes
  }

  var encoded: [UInt8] {
    var words: [UInt64] = [
      FingerprintHead.format, seed, UInt64(byteCount), UInt64(shapes.count),
    ]
    for shape in shapes {
      words.append(UInt64(shape.entries.count))
      for entry in shape.entries {
        words.append(UInt64(entry.entity) << 8 | UInt64(entry.use.rawValue))
      }
      words.append(UInt64(shape.filled.count))
      for filled in shape.filled {
        words += [UInt64(filled.node), UInt64(filled.rules.count)] + filled.rules
      }
      words.append(UInt64(shape.unused.count))
      for unused in shape.unused {
        words += [UInt64(unused.node), UInt64(unused.count), UInt64(unused.key.count)]
        words += unused.key.map { UInt64($0) }
      }
      words.append(UInt64(shape.mentions.count))
      for mention in shape.mentions {
        words += [UInt64(mention.node), UInt64(mention.rule), mention.nestsAtTop ? 1 : 0]
      }
    }
    return words.withUnsafeBytes { Array($0) }
  }

  /// - Returns: Nil when it is of another format.
  init?(decoding bytes: [UInt8]) {
    var reader = WordReader(bytes: bytes)
    guard reader.next() == FingerprintHead.format else { return nil }
    seed = reader.next()
    byteCount = reader.count()
    shapes = []
    for _ in 0..<reader.count() {
      var shape = FingerprintShape()
      for _ in 0..<reader.count() {
        let word = reader.next()
        guard let use = FingerprintShape.Use(rawValue: UInt32(truncatingIfNeeded: word & 0xFF))
        else {
          return nil
        }
        shape.entries.append(FingerprintShape.Entry(entity: Int(word >> 8), use: use))
      }
      for _ in 0..<reader.count() {
        let node = reader.count()
        let rules = (0..<reader.count()).map { _ in reader.next() }
        shape.filled.append(FingerprintShape.Filled(node: node, rules: rules))
      }
      for _ in 0..<reader.count() {
        let node = reader.count()
        let count = reader.count()
        let key = (0..<reader.count()).map { _ in UInt8(truncatingIfNeeded: reader.next()) }
        shape.unused.append(FingerprintShape.UnusedKey(node: node, key: key, count: count))
      }
      for _ in 0..<reader.count() {
        let node = reader.count()
        let rule = reader.count()
        shape.mentions.append(
          FingerprintShape.Mention(node: node, rule: rule, nestsAtTop: reader.next() == 1))
      }
      shapes.append(shape)
    }
    guard reader.isComplete else { return nil }
  }

  /// Reads words; behind the end there are zeros.
  private struct WordReader {
    let bytes: [UInt8]
    private var offset = 0

    init(bytes: [UInt8]) {
      self.bytes = bytes
    }

    var isComplete: Bool { offset == bytes.count }

    mutating func next() -> UInt64 {
      guard offset + 8 <= bytes.count else {
        offset = bytes.count + 1
        return 0
      }
      defer { offset += 8 }
      return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    }

    /// A number of things that follow, each of a word at least.
    mutating func count() -> Int {
      let word = next()
      return word <= UInt64(bytes.count) << 20 ? Int(word) : 0
    }
  }
}
