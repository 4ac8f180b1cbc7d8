import SyncCore

/// Cuts a payload into parts and stages them: the whole payload as one part, or as many items at a
/// time as keep memory bounded. Confined to its sync.
final class PayloadReader {
  private let request: SyncRequest
  private let bytes: UnsafeRawBufferPointer
  private let parent: ParentScope?
  private let report: ReportBuilder
  private let control: SyncControl
  private let limit: PartLimit
  private var reader: JSONItemReader
  private let tape = JSONTape()

  // Where the current part begins, to stage it once more when items were rewritten.
  private var partStart: JSONItemReader
  private var partItem = 0

  /// Items read so far.
  private(set) var itemCount = 0
  private var partReport = SyncReport()
  private(set) var isAtEnd = false
  private var nextCheckpoint = 0

  /// What earlier syncs have left, when fingerprints are used.
  var fingerprints: FingerprintSet?

  /// How large a part may get.
  enum PartLimit {
    case none
    case bytes(Int)
    case items(Int)
  }

  /// - Throws: ``JSONError`` when the payload does not begin as it should.
  init(
    _ bytes: UnsafeRawBufferPointer, request: SyncRequest, parent: ParentScope?, limit: PartLimit,
    report: ReportBuilder, control: SyncControl
  ) throws {
    self.bytes = bytes
    self.request = request
    self.parent = parent
    self.limit = limit
    self.report = report
    self.control = control
    reader = try JSONItemReader(
      bytes, at: request.path.map { JSONPath($0) } ?? JSONPath(), options: request.reading)
    partStart = reader
  }

  /// Where the next item is looked for.
  var position: Int { reader.position }

  /// Passes items over that another sync has worked off.
  ///
  /// - Returns: False when they do not end where they should; then nothing is passed over.
  func skip(_ count: Int, to position: Int) throws -> Bool {
    var reader = reader
    for index in 0..<count {
      if index % SyncControl.stride == 0 { try control.checkpoint() }
      guard try reader.skipNext() != nil else { return false }
    }
    // Whoever read the last item may have read the end of the list too.
    if reader.position != position {
      guard try reader.skipNext() == nil, reader.position == position else { return false }
    }
    self.reader = reader
    itemCount = count
    try control.advance(.parse, to: position, of: bytes.count)
    return true
  }

  /// Stages the next part.
  func next() throws -> Stager {
    partStart = reader
    partItem = itemCount
    partReport = report.report
    return try stage(replacements: nil)
  }

  /// Stages the current part once more, with items that stand in for others.
  ///
  /// - Parameters:
  ///   - tracksItems: Whether it is noted which item every object stands in.
  ///   - leftOut: The items to leave out, by their index, and why.
  func restage(
    _ replacements: ItemReplacements?, tracksItems: Bool = false,
    leavingOut leftOut: [Int: SyncError] = [:]
  ) throws -> Stager {
    reader = partStart
    isAtEnd = false
    report.report = partReport
    nextCheckpoint = 0
    fingerprints?.restart()
    return try stage(replacements: replacements, tracksItems: tracksItems, leftOut: leftOut)
  }

  /// Items for which memory is set aside at once; the text is read in order, so the byte range that is
  /// replaced is known exactly.
  private func stage(
    replacements: ItemReplacements?, tracksItems: Bool = false, leftOut: [Int: SyncError] = [:]
  ) throws -> Stager {
    let stager = Stager(
      plan: request.plan, operations: request.operations, onItemError: request.itemPolicy,
      path: request.path, firstItem: partItem, report: report,
      keepsSources: request.willInsert != nil, tracksItems: tracksItems,
      tracesFingerprints: fingerprints != nil)
    stager.replacements = replacements
    stager.leftOut = leftOut
    parent?.prepare(stager)
    let base = UInt(bitPattern: bytes.baseAddress)
    let start = reader.position
    var hasReserved = false
    while true {
      guard let step = try nextItem() else {
        isAtEnd = true
        break
      }
      let source = ItemSource(tape: tape, base: base)
      let range = reader.itemRange
      let text = UnsafeRawBufferPointer(rebasing: bytes[range])
      if case .known = step {
        stager.passOver()
      } else if case .new(let fingerprint) = step {
        try stager.stageRootItem(source, text: text, fingerprint: fingerprint)
      } else if request.targets.isEmpty {
        try stager.stageRootItem(source, text: text)
      } else {
        for row in request.targets { try stager.stageRootItem(source, text: text, as: row) }
      }
      // To ask the reader where it is would copy it for every item.
      if range.upperBound >= nextCheckpoint {
        try control.advance(.parse, to: range.upperBound, of: bytes.count)
        nextCheckpoint = range.upperBound + PayloadReader.stride
      }
      if !hasReserved, range.upperBound - start >= PayloadReader.sampleSize {
        hasReserved = true
        stager.reserve(expectedFactor(from: start))
      }
      if isFull(bytes: range.upperBound - start, items: stager.itemCount - partItem) {
        break
      }
    }
    if let fingerprints { stager.replay(fingerprints) }
    try stager.finish()
    itemCount = stager.itemCount
    return stager
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
  private func nextItem() throws -> Step? {
    guard let fingerprints else { return try reader.next(into: tape) ? .read : nil }
    guard fingerprints.count > 0 else {
      guard try reader.next(into: tape) else { return nil }
      return .new(ContentFingerprint(itemBytes, seed: fingerprints.seed))
    }
    do {
      let isExpected = try reader.skipNext(expecting: fingerprints.expectedLength) {
        fingerprints.matchExpected($0)
      }
      guard let isExpected else { return nil }
      if isExpected { return .known }
      let fingerprint = ContentFingerprint(itemBytes, seed: fingerprints.seed)
      if fingerprints.match(fingerprint) != nil { return .known }
      try reader.readSkipped(into: tape)
      return .new(fingerprint)
    } catch {
      // Read in order, the document says best what is wrong with it.
      reader = partStart
      while try reader.next(into: tape) {}
      throw error
    }
  }

  private var itemBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[reader.itemRange])
  }

  /// Bytes between two checkpoints of the parse phase: well under a millisecond.
  private static let stride = 64 * 1024

  /// Bytes after which memory is set aside for the rest of the part.
  private static let sampleSize = 256 * 1024

  /// How much more there will be than there is now, when the rest of the part is as its beginning.
  private func expectedFactor(from start: Int) -> Double {
    let read = Double(reader.position - start)
    let rest = Double(bytes.count - start)
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

@available(*, unavailable, message: "A reader is confined to its sync.")
extension PayloadReader: Sendable {}
