import SyncCore

/// How far a payload has been read.
struct PayloadPlace {
  var reader: JSONItemReader
  /// Items before it.
  var itemCount = 0
  var isAtEnd = false
}

/// A part of a payload that was read.
struct StagedPart {
  let stager: Stager
  let end: PayloadPlace
}

/// Reads one part of a payload, from a place on, and stages it. Without fingerprints it needs nothing that
/// other parts change, so it may do that while the part before is written.
struct PartReader {
  let request: SyncRequest
  let bytes: UnsafeRawBufferPointer
  let parent: ParentScope?
  let limit: PayloadReader.PartLimit
  let start: PayloadPlace

  /// What earlier syncs have left, when fingerprints are used.
  var fingerprints: FingerprintSet?

  /// Items that stand in for others.
  var replacements: ItemReplacements?

  /// Whether it is noted which item every object stands in.
  var tracksItems = false

  /// The items to leave out, by their index, and why.
  var leftOut: [Int: SyncError] = [:]

  /// - Parameter advance: Called every now and then with how far it is; may stop it.
  func read(_ advance: (Int) throws -> Void) throws -> StagedPart {
    let stager = Stager(
      plan: request.plan, operations: request.operations, onItemError: request.itemPolicy,
      path: request.path, firstItem: start.itemCount, report: ReportBuilder(),
      keepsSources: request.willInsert != nil, tracksItems: tracksItems,
      tracesFingerprints: fingerprints != nil)
    stager.replacements = replacements
    stager.leftOut = leftOut
    parent?.prepare(stager)
    let tape = JSONTape()
    let base = UInt(bitPattern: bytes.baseAddress)
    let first = start.reader.position
    var reader = start.reader.separated()
    var nextCheckpoint = 0
    var hasReserved = false
    var isAtEnd = false
    while true {
      if let fingerprints {
        stager.passOver(
          reader.skipElements(before: nextCheckpoint) { fingerprints.lengthExpected(of: $0) })
      }
      guard let step = try nextItem(&reader, tape) else {
        isAtEnd = true
        break
      }
      let source = ItemSource(tape: tape, base: base)
      let range = reader.itemRange
      let text = UnsafeRawBufferPointer(rebasing: bytes[range])
      do {
        try stage(step, source, text: text, with: stager)
      } catch let stop as Stager.Stop {
        stager.stop = stop
        isAtEnd = true
        break
      }
      // To ask the reader where it is would copy it for every item.
      if range.upperBound >= nextCheckpoint {
        try advance(range.upperBound)
        nextCheckpoint = range.upperBound + PartReader.stride
      }
      if !hasReserved, range.upperBound - first >= PartReader.sampleSize {
        hasReserved = true
        stager.reserve(expectedFactor(from: first, to: reader.position))
      }
      if isFull(bytes: range.upperBound - first, items: stager.itemCount - start.itemCount) {
        break
      }
    }
    if let fingerprints { stager.replay(fingerprints) }
    try stager.finish()
    return StagedPart(
      stager: stager,
      end: PayloadPlace(reader: reader, itemCount: stager.itemCount, isAtEnd: isAtEnd))
  }

  private func stage(
    _ step: Step, _ source: ItemSource, text: UnsafeRawBufferPointer, with stager: Stager
  ) throws {
    if case .known = step {
      stager.passOver()
    } else if case .new(let fingerprint) = step {
      try stager.stageRootItem(source, text: text, fingerprint: fingerprint)
    } else if request.targets.isEmpty {
      try stager.stageRootItem(source, text: text)
    } else {
      for row in request.targets { try stager.stageRootItem(source, text: text, as: row) }
    }
  }

  private enum Step {
    /// An item is on the tape.
    case read
    /// An item is on the tape, and this is its fingerprint.
    case new(ContentFingerprint)
    /// The item is as it was.
    case known
  }

  /// Goes to the next item, and puts it on the tape unless it is known.
  private func nextItem(_ reader: inout JSONItemReader, _ tape: JSONTape) throws -> Step? {
    guard let fingerprints else { return try reader.next(into: tape) ? .read : nil }
    guard fingerprints.count > 0 else {
      guard try reader.next(into: tape) else { return nil }
      return .new(ContentFingerprint(itemBytes(reader), seed: fingerprints.seed))
    }
    do {
      let isExpected = try reader.skipNext(expecting: fingerprints.expectedLength) {
        fingerprints.matchExpected($0)
      }
      guard let isExpected else { return nil }
      if isExpected { return .known }
      let fingerprint = ContentFingerprint(itemBytes(reader), seed: fingerprints.seed)
      if fingerprints.match(fingerprint) != nil { return .known }
      try reader.readSkipped(into: tape)
      return .new(fingerprint)
    } catch {
      // Read in order, the document says best what is wrong with it.
      reader = start.reader
      while try reader.next(into: tape) {}
      throw error
    }
  }

  private func itemBytes(_ reader: JSONItemReader) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[reader.itemRange])
  }

  /// Bytes between two checkpoints of the parse phase: well under a millisecond.
  private static let stride = 64 * 1024

  /// Bytes after which memory is set aside for the rest of the part.
  private static let sampleSize = 256 * 1024

  /// How much more there will be than there is now, when the rest of the part is as its beginning.
  private func expectedFactor(from first: Int, to position: Int) -> Double {
    let read = Double(position - first)
    let rest = Double(bytes.count - first)
    return switch limit {
    case .none: rest / read * 1.03
    case .bytes(let limit): min(rest, Double(limit)) / read * 1.03
    case .items: 1
    }
  }

  private func isFull(bytes: Int, items: Int) -> Bool {
    switch limit {
    case .none: false
    case .bytes(let limit): bytes >= limit
    case .items(let limit): items >= limit
    }
  }
}
