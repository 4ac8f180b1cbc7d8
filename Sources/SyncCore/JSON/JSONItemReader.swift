/// Walks the items of a payload one by one, so that memory does not grow with the payload.
///
/// The items are the elements of an array, or one object as a list of one, at the top of the document
/// or where a path leads; or those of every line of newline-delimited JSON. Everything else in the
/// document is checked too: what lies before the list is read at the beginning, what lies behind it
/// when the last item has been read.
///
/// ```
/// start ──▶ single ──▶ listEnded ──▶ documentEnded ──▶ end
///   ▲ └───▶ elements ─────▲                │
///   └──────────── the next line ───────────┘
/// ```
package struct JSONItemReader {
  enum State {
    /// Before the one item of this document.
    case single
    /// In the array, before an element or its end.
    case elements
    /// Behind the list, in the containers around it.
    case listEnded
    case documentEnded
    case end
  }

  let bytes: UnsafeRawBufferPointer
  let path: JSONPath
  let options: JSONReadingOptions
  var document: JSONDocument
  /// Takes what is read only to be checked.
  private(set) var scratch = JSONTape(capacity: 64)
  /// The containers around the list, outermost first.
  var frames: [Frame] = []
  var state = State.end
  /// Path of the list, and how many of its elements were passed.
  private var listPath = "$"
  var elementCount = 0
  private var documentCount = 0
  private var takesLines: Bool

  /// Index of the item read last, over the whole payload; -1 before the first.
  package internal(set) var itemIndex = -1
  /// Where the item read last stands in the payload.
  package internal(set) var itemRange = 0..<0
  /// Path of the item read last, as in `$.data[3]`; made when asked for.
  package var itemPath: String { isElement ? "\(listPath)[\(elementCount - 1)]" : listPath }
  private(set) var isElement = false

  /// Byte offset of what is read next.
  package var position: Int { document.scanner.position }

  /// Goes to the list.
  ///
  /// - Throws: ``JSONError`` when the path leads nowhere (it says which names are there), when there
  ///   is no array and no object, or when what lies before the list is no JSON.
  package init(
    _ bytes: UnsafeRawBufferPointer, at path: JSONPath = JSONPath(),
    options: JSONReadingOptions = JSONReadingOptions()
  ) throws(JSONError) {
    self.bytes = bytes
    self.path = path
    self.options = options
    document = try JSONDocument(bytes, options: options)
    takesLines = options.format == .lines
    if document.skipSpace().isAtEnd {
      guard takesLines else {
        throw document.error(
          .emptyDocument, at: bytes.count,
          "The document is empty. An empty list is written [].")
      }
    } else {
      try beginDocument()
    }
  }

  /// A copy that may read at the same time, on another thread.
  ///
  /// - Parameter notesDates: Whether it reads dates, too.
  package func separated(notesDates: Bool = false) -> JSONItemReader {
    var copy = self
    copy.document.scanner.notesDates = notesDates
    copy.scratch = JSONTape(capacity: 64)
    return copy
  }

  /// Reads the next item.
  ///
  /// - Parameter appending: Whether what is on the tape stays, in front of the item.
  /// - Returns: False when there is none; the whole document has been checked then.
  /// - Throws: ``JSONError``; nothing more can be read afterwards.
  package mutating func next(
    into tape: JSONTape, appending: Bool = false
  ) throws(JSONError) -> Bool {
    guard try seekItem() else { return false }
    let start = position
    do {
      try document.scanner.scanValue(into: tape, appending: appending)
    } catch {
      throw error.inside(upcomingPath)
    }
    finishItem(start..<position)
    return true
  }

  var upcomingPath: String {
    state == .elements ? "\(listPath)[\(elementCount)]" : listPath
  }

  mutating func finishItem(_ range: Range<Int>) {
    itemRange = range
    itemIndex += 1
    isElement = state == .elements
    if isElement {
      elementCount += 1
    } else {
      state = .listEnded
    }
  }

  /// Goes to the first byte of the next item; false when there is none.
  mutating func seekItem() throws(JSONError) -> Bool {
    while true {
      switch state {
      case .single:
        return true
      case .elements:
        if try seekElement() { return true }
        state = .listEnded
      case .listEnded:
        try endFrames()
        state = .documentEnded
      case .documentEnded:
        let next = document.skipSpace()
        if next.isAtEnd {
          state = .end
        } else if takesLines && next.brokeLine {
          try beginDocument()
        } else {
          try document.expectEnd()
        }
      case .end:
        return false
      }
    }
  }

  /// Goes to the next element of the array, or behind its end.
  private mutating func seekElement() throws(JSONError) -> Bool {
    var byte = try nextByte(listPath)
    if elementCount > 0 {
      guard byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") else {
        throw error(.arraySeparator, at: position, listPath)
      }
      if byte == UInt8(ascii: ",") {
        document.scanner.position += 1
        byte = try nextByte(listPath)
        if byte == UInt8(ascii: "]") && !options.allowsTrailingCommas {
          throw error(.trailingComma, at: position, listPath)
        }
      }
    }
    guard byte == UInt8(ascii: "]") else { return true }
    document.scanner.position += 1
    return false
  }

  /// Goes from the first byte of a document to the list in it.
  private mutating func beginDocument() throws(JSONError) {
    let isFirst = documentCount == 0
    let root = options.format == .lines || !isFirst ? "$[\(documentCount)]" : "$"
    documentCount += 1
    elementCount = 0
    listPath = try followPath(from: root)
    let byte = try nextByte(listPath)
    if isFirst && options.format == .automatic {
      takesLines = !path.steps.isEmpty || byte == UInt8(ascii: "{")
    }
    switch byte {
    case UInt8(ascii: "["):
      document.scanner.position += 1
      state = .elements
    case UInt8(ascii: "{"):
      state = .single
    default:
      guard takesLines && path.steps.isEmpty else { throw notAList() }
      state = .single
    }
  }

  private mutating func notAList() -> JSONError {
    let start = position
    do {
      try document.scanner.scanValue(into: scratch)
    } catch {
      return error.inside(listPath)
    }
    return document.error(
      .notAList, at: start, path: listPath,
      "Found \(scratch[0].kind.text) where the list of objects should be. Give the path that leads "
        + "to an array, or to one object.")
  }
}
