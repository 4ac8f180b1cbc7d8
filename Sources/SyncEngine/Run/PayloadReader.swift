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
  var limit: PartLimit

  // Where the current part begins, to stage it once more when items were rewritten.
  private var start: PayloadPlace
  private var startReport = ReportBuilder.Content()
  private var end: PayloadPlace

  private var ahead: PartAhead?
  // Serial, so it has a thread also when those of the global queues are all taken; its blocks have
  // the quality of service of the thread that adds them.
  private lazy var queue = DispatchQueue(label: "SyncStack.ahead")

  /// How much of the reading of the sync the payload is.
  var span: Span

  /// Bytes of the pages or lists before a payload, of itself as they were expected, and of all of
  /// them.
  struct Span {
    var before = 0
    var size: Int
    var total: Int
  }

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
    span = Span(size: bytes.count, total: bytes.count)
    end = PayloadPlace(
      reader: try JSONItemReader(
        bytes, at: request.setup.path ?? JSONPath(), options: request.settings.reading,
        takesMembers: request.takesMembers, isChecked: request.isChecked))
    start = end
  }

  /// Items up to the end of the current part.
  var itemCount: Int { end.itemCount }

  /// Whether the current part is the last.
  var isAtEnd: Bool { end.isAtEnd }

  /// Stages the next part, or takes it as another thread has staged it, and begins to read the one
  /// after it.
  func next() throws -> StagedPart {
    start = end
    startReport = report.content
    known?.fingerprints.beginPart()
    let part: ReadPart
    if let ahead = try ahead.take()?.take(advance), !isKnown(ahead) {
      part = ahead
      try advance(part.end.reader.position)
    } else {
      part = try reader(from: start).read(advance)
    }
    end = part.end
    readAhead()
    return accept(part)
  }

  /// Whether a part that was read ahead has items that need not have been read.
  private func isKnown(_ part: ReadPart) -> Bool {
    guard let known, let read = part.part.read else { return false }
    return known.fingerprints.knowsAny(of: read)
  }

  /// Stages the current part once more.
  func restage(_ version: PartVersion = PartVersion()) throws -> StagedPart {
    report.content = startReport
    known?.fingerprints.restart()
    return accept(try reader(from: start, version).read(advance))
  }

  /// Stops reading ahead. Nothing is read any more when it returns.
  func stop() {
    ahead.take()?.stop()
  }

  private func reader(
    from place: PayloadPlace, skipsKnown: Bool = true, _ version: PartVersion = PartVersion()
  ) -> PartReader {
    PartReader(
      request, bytes, parent, limit, from: place, known?.fingerprints, skipsKnown: skipsKnown,
      version)
  }

  private func advance(_ position: Int) throws {
    var read = position
    if span.size != bytes.count, !bytes.isEmpty {
      read = Int(Double(position) / Double(bytes.count) * Double(span.size))
    }
    try control.advance(.parse, to: span.before + read, of: span.total)
  }

  private func readAhead() {
    // Where items of one part are known, so are those of the next, mostly.
    guard request.tuning.readsAhead, !end.isAtEnd, (known?.matchedCount ?? 0) == 0 else { return }
    let part = PartAhead(reader(from: end, skipsKnown: false), control: control)
    ahead = part
    queue.async { part.read() }
  }

  /// Adds the report of a part to the whole one.
  private func accept(_ read: ReadPart) -> StagedPart {
    report.add(read.report)
    return read.part
  }
}

@available(*, unavailable, message: "A reader is confined to its sync.")
extension PayloadReader: Sendable {}

/// A part of a payload that is read on a queue while the one before it is written.
///
/// ```
/// waiting ──▶ claimed by the queue ──▶ read ──▶ taken or given up
///    └──────▶ claimed by the sync, which reads it itself or gives it up
/// ```
///
/// The sync claims it itself when it needs the part before the queue has come to it, so it never
/// waits for a thread that the system does not have. Errors of the part are thrown when it is
/// taken, that is, after all errors of those before it.
///
/// `reader` and `result` belong to the thread that has claimed the part, and to the sync once
/// `isRead` was signalled.
final class PartAhead: @unchecked Sendable {
  private struct State {
    var isClaimed = false
    var isWanted = true
  }

  private var reader: PartReader?
  private var result: Result<ReadPart, any Error> = .failure(CancellationError())
  private let control: SyncControl
  private let state = Locked(State())
  private let isRead = DispatchSemaphore(value: 0)

  init(_ reader: PartReader, control: SyncControl) {
    self.reader = reader
    self.control = control
  }

  /// Reads the part, unless the sync does that itself or wants it no more. Called on the queue.
  func read() {
    guard let reader = claim() else { return }
    let result = Result {
      try reader.read { _ in
        try control.checkpoint()
        guard state.withLock({ $0.isWanted }) else { throw CancellationError() }
      }
    }
    self.result = result
    state.withLock { $0.isClaimed = true }
    isRead.signal()
  }

  /// The part, as soon as it is read.
  ///
  /// - Parameter advance: Called as by ``PartReader`` when the part is read by the sync itself.
  func take(_ advance: (Int) throws -> Void) throws -> ReadPart {
    if let reader = claim() { return try reader.read(advance) }
    wait()
    defer { result = .failure(CancellationError()) }
    return try result.get()
  }

  /// Gives the part up. No thread reads it any more when this returns.
  func stop() {
    state.withLock { $0.isWanted = false }
    guard claim() == nil else { return }
    wait()
    result = .failure(CancellationError())
  }

  private func wait() {
    isRead.wait()
    // Says to the thread sanitizer, too, that the other thread is through.
    state.withLock { _ in }
  }

  /// The reader, for the first caller; nil for later ones.
  private func claim() -> PartReader? {
    let isFirst = state.withLock { state in
      defer { state.isClaimed = true }
      return !state.isClaimed
    }
    guard isFirst else { return nil }
    defer { reader = nil }
    return reader
  }
}
