import Dispatch
import SyncCore

/// Cuts a payload into parts and stages them: the whole payload as one part, or as many items at a
/// time as keep memory bounded. Confined to its sync, but for the next part (``PartAhead``).
final class PayloadReader {
  private let request: SyncRequest
  private let bytes: UnsafeRawBufferPointer
  let parent: ParentScope?
  private let report: ReportBuilder
  private let control: SyncControl
  private let limit: PartLimit

  // Where the current part begins, to stage it once more when items were rewritten.
  private var start: PayloadPlace
  private var startReport = ReportBuilder.Content()
  private var end: PayloadPlace

  private var ahead: PartAhead?
  // Serial, so it has a thread also when those of the global queues are all taken; its blocks have the
  // quality of service of the thread that adds them.
  private lazy var queue = DispatchQueue(label: "SyncStack.ahead")

  /// The items that need not be read, when there may be any.
  var known: KnownItems?

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
    end = PayloadPlace(
      reader: try JSONItemReader(
        bytes, at: request.setup.path ?? JSONPath(), options: request.settings.reading,
        takesMembers: request.takesMembers))
    start = end
  }

  /// Items up to the end of the current part.
  var itemCount: Int { end.itemCount }

  /// Whether the current part is the last.
  var isAtEnd: Bool { end.isAtEnd }

  /// Stages the next part, or takes it as another thread has staged it, and begins to read the one after it.
  func next() throws -> StagedPart {
    start = end
    startReport = report.content
    let part: ReadPart
    if let ahead = ahead.take() {
      part = try ahead.take(advance)
      try advance(part.end.reader.position)
    } else {
      part = try reader(from: start).read(advance)
    }
    end = part.end
    readAhead()
    return accept(part)
  }

  /// Stages the current part once more, with items that stand in for others.
  ///
  /// - Parameters:
  ///   - tracksItems: Whether it is noted which item every object stands in.
  ///   - leftOut: The items to leave out, by their index, and why.
  func restage(
    _ replacements: ItemReplacements?, tracksItems: Bool = false,
    leavingOut leftOut: [Int: SyncError] = [:]
  ) throws -> StagedPart {
    report.content = startReport
    known?.fingerprints.restart()
    var reader = reader(from: start)
    reader.replacements = replacements
    reader.tracksItems = tracksItems
    reader.leftOut = leftOut
    return accept(try reader.read(advance))
  }

  /// Stops reading ahead. Nothing is read any more when it returns.
  func stop() {
    ahead.take()?.stop()
  }

  private func reader(from place: PayloadPlace) -> PartReader {
    PartReader(
      request: request, bytes: bytes, parent: parent, limit: limit, start: place,
      fingerprints: known?.fingerprints)
  }

  private func advance(_ position: Int) throws {
    try control.advance(.parse, to: position, of: bytes.count)
  }

  private func readAhead() {
    guard request.tuning.readsAhead, !end.isAtEnd, known == nil else { return }
    let part = PartAhead(reader(from: end), control: control)
    ahead = part
    queue.async { part.read() }
  }

  /// Takes over what the report says of a part.
  private func accept(_ read: ReadPart) -> StagedPart {
    report.add(read.report)
    return read.part
  }
}

@available(*, unavailable, message: "A reader is confined to its sync.")
extension PayloadReader: Sendable {}
