import SyncCore

/// How far a payload has been read.
struct PayloadPlace {
  var reader: JSONItemReader
  /// Items before it.
  var itemCount = 0
  var isAtEnd = false
}

/// A part of a payload that was read.
struct ReadPart {
  let part: StagedPart

  /// Notes about the part.
  let report: ReportBuilder
  let end: PayloadPlace
}

/// Reads one part of a payload, from a place on, and stages it. Unless it looks for known items it
/// needs nothing that other parts change, so it may do that while the part before is written.
final class PartReader {
  private let request: SyncRequest
  private let bytes: UnsafeRawBufferPointer
  private let parent: ParentScope?
  private let limit: PayloadReader.PartLimit
  private let start: PayloadPlace
  private let fingerprints: FingerprintSet?
  private let skipsKnown: Bool
  private let version: PartVersion

  /// The items that are read, where fingerprints are used.
  private let read = PlainArray<ItemContents.ReadItem>()

  /// - Parameters:
  ///   - fingerprints: The fingerprints of earlier syncs, when they are used.
  ///   - skipsKnown: Whether items are passed over that are known by them; otherwise all are read.
  init(
    _ request: SyncRequest, _ bytes: UnsafeRawBufferPointer, _ parent: ParentScope?,
    _ limit: PayloadReader.PartLimit, from start: PayloadPlace, _ fingerprints: FingerprintSet?,
    skipsKnown: Bool, _ version: PartVersion
  ) {
    self.request = request
    self.bytes = bytes
    self.parent = parent
    self.limit = limit
    self.start = start
    self.fingerprints = fingerprints
    self.skipsKnown = skipsKnown
    self.version = version
  }

  /// - Parameter advance: Called every now and then with how far it is; may stop it.
  func read(_ advance: (Int) throws -> Void) throws -> ReadPart {
    let stager = Stager(
      StagingRequest(
        plan: request.plan, operations: request.settings.operations,
        onItemError: request.itemPolicy,
        deletes: request.settings.deletes, listsKeys: request.rewritten?.resources.isEmpty == false,
        firstItem: start.itemCount, keepsAddresses: request.hooks.willInsert != nil,
        notesContents: fingerprints != nil, version: version))
    parent?.prepare(stager)
    let end = try stageItems(with: stager, advance)
    if skipsKnown, let fingerprints, fingerprints.matchedCount > 0 {
      UnreadItems(fingerprints, request.plan.model).replay(to: stager)
    }
    var part = try stager.finish()
    part.read = fingerprints.map { _ in read }
    return ReadPart(part: part, report: stager.report, end: end)
  }

  private func stageItems(
    with stager: Stager, _ advance: (Int) throws -> Void
  ) throws -> PayloadPlace {
    let tape = JSONTape()
    let base = UInt(bitPattern: bytes.baseAddress)
    var progress = Progress(first: start.reader.position)
    var reader = start.reader.separated()
    var isAtEnd = false
    // Items one behind the other that were not known.
    var unknown = 0
    while true {
      if skipsKnown, let fingerprints {
        var room = room(items: stager.part.items.end - start.itemCount)
        let known = reader.skipElements(
          before: end(from: progress.first, before: progress.nextCheckpoint)
        ) {
          guard room > 0 else { return 0 }
          room -= 1
          return fingerprints.lengthExpected(of: $0)
        }
        if known > 0 {
          stager.passOver(fingerprints.next - known..<fingerprints.next)
          try note(reader.itemRange, of: stager, in: &progress, advance)
          if isFull(reader.itemRange, of: stager, from: progress.first) { break }
          continue
        }
      }
      guard let isKnown = try nextItem(&reader, tape, readsAll: unknown >= PartReader.unknownLimit)
      else {
        isAtEnd = true
        break
      }
      unknown = isKnown ? 0 : unknown + 1
      let range = reader.itemRange
      do {
        stager.item = StagedItem(
          place: place(of: stager.part.items.end, reader.itemPlace, tape), key: reader.memberKey)
        if isKnown, let fingerprints {
          stager.passOver(fingerprints.next - 1..<fingerprints.next)
        } else {
          try stage(ItemSource(tape: tape, base: base), range, with: stager)
        }
      } catch let stop as Stager.Stop {
        stager.part.refusals.stop = stop
        isAtEnd = true
        break
      }
      try note(range, of: stager, in: &progress, advance)
      if isFull(range, of: stager, from: progress.first) { break }
    }
    return PayloadPlace(reader: reader, itemCount: stager.part.items.end, isAtEnd: isAtEnd)
  }

  /// State that the steps of the loop share.
  private struct Progress {
    let first: Int
    var nextCheckpoint = 0
    var hasReserved = false
  }

  @inline(__always)
  private func note(
    _ range: Range<Int>, of stager: Stager, in progress: inout Progress,
    _ advance: (Int) throws -> Void
  ) throws {
    if range.upperBound >= progress.nextCheckpoint {
      try advance(range.upperBound)
      progress.nextCheckpoint = range.upperBound + PartReader.stride
    }
    if !progress.hasReserved, range.upperBound - progress.first >= PartReader.sampleSize {
      progress.hasReserved = true
      stager.reserve(expectedFactor(from: progress.first, to: range.upperBound))
    }
  }

  private func stage(
    _ source: ItemSource, _ range: Range<Int>, with stager: Stager
  ) throws {
    let text = UnsafeRawBufferPointer(rebasing: bytes[range])
    if let node = request.rewritten?.node(of: stager.part.items.end) {
      try stager.stageBeside(source, text: text, node: node)
    } else if request.targets.isEmpty {
      try stager.stageRootItem(source, text: text)
    } else {
      for row in request.targets { try stager.stageRootItem(source, text: text, as: row) }
    }
  }

  private func place(of item: Int, _ place: JSONItemPlace, _ tape: JSONTape) -> JSONItemPlace {
    request.rewritten?.place(of: item, place) { tape.value(0) } ?? place
  }

  /// Unknown items, one behind the other, after which the next one is hardly known: its end is not
  /// looked for before it is read.
  private static let unknownLimit = 32

  /// Goes to the next item, and puts it on the tape unless it is known.
  ///
  /// - Parameter readsAll: Whether it is put there in any case.
  /// - Returns: Whether it is known; nil at the end.
  private func nextItem(
    _ reader: inout JSONItemReader, _ tape: JSONTape, readsAll: Bool
  ) throws -> Bool? {
    guard let fingerprints else { return try reader.next(into: tape) ? false : nil }
    do {
      guard skipsKnown, fingerprints.count > 0 else {
        guard try reader.next(into: tape) else { return nil }
        read.append(fingerprints.fingerprint(of: itemBytes(reader)))
        return false
      }
      if readsAll {
        guard try reader.next(into: tape) else { return nil }
        return fingerprints.match(itemBytes(reader), orAddTo: read)
      }
      guard try reader.skipNext() != nil else { return nil }
      if fingerprints.match(itemBytes(reader), orAddTo: read) { return true }
      try reader.readSkipped(into: tape)
      return false
    } catch {
      // Read in order, the document tells its first error.
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

  private func isFull(_ item: Range<Int>, of stager: Stager, from first: Int) -> Bool {
    switch limit {
    case .none: false
    case .bytes(let limit): item.upperBound - first >= limit
    case .items: room(items: stager.part.items.end - start.itemCount) <= 0
    }
  }

  /// How many more items the part takes than it has.
  private func room(items: Int) -> Int {
    if case .items(let limit) = limit { limit - items } else { .max }
  }

  /// Where the items of the part end at the latest, or an offset before that.
  private func end(from first: Int, before offset: Int) -> Int {
    if case .bytes(let limit) = limit { min(first + limit, offset) } else { offset }
  }
}
