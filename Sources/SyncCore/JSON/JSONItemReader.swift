/// Walks the items of a payload one by one, so that memory does not grow with the payload.
///
/// The items are the elements of an array, or one object as a list of one, at the top of the
/// document or where a path leads; or those of every line of newline-delimited JSON. Where a path
/// means each element or member of a container, the items in all of them are read one after the
/// other. Everything else in the document is checked too: the text before a list is read when it is
/// looked for, the text behind it when its last item has been read.
///
/// ```
///   ┌───────── the next element on the way ──┐
///   ▼ ┌───▶ single, missing ──┐              │
/// start ──▶ elements, members ──▶ listEnded ─┴▶ documentEnded ──▶ end
///   ▲                                            │
///   └───────────────── the next line ────────────┘
/// ```
package struct JSONItemReader {
  enum State {
    /// Before the one item of this document.
    case single
    /// In the array, before an element or its end.
    case elements
    /// In the object whose members are the items, before a member or its end.
    case members
    /// Behind a container in which the path leads to nothing: it counts as an item that is null.
    case missing
    /// Behind the list, in the containers around it.
    case listEnded
    case documentEnded
    case end
  }

  let bytes: UnsafeRawBufferPointer
  let path: JSONPath
  let options: JSONReadingOptions
  /// Whether an object of objects, where the list should be, is one item for each member.
  let takesMembers: Bool
  /// Whether the text is known to be JSON: values beside the list are stepped over.
  let isChecked: Bool
  var document: JSONDocument
  /// Takes values that are read only to be checked.
  var scratch = JSONTape(capacity: 64)
  /// The containers around the list, outermost first.
  var frames: [Frame] = []
  var state = State.end
  /// Path of the list, and how many of its elements or members were passed.
  var listPath = "$"
  var elementCount = 0
  private var documentCount = 0
  private var takesLines: Bool

  /// Index of the item read last, over the whole payload; -1 before the first.
  package internal(set) var itemIndex = -1
  /// Where the item read last stands in the payload.
  package internal(set) var itemRange = 0..<0
  /// How the item read last was found.
  private var itemState = State.single
  package var isElement: Bool { itemState == .elements }

  /// Where the item read last stands.
  package var itemPlace: JSONItemPlace {
    switch itemState {
    case .elements: JSONItemPlace(path: listPath, element: elementCount - 1)
    case .members: JSONItemPlace(path: listPath + JSONPath.text(ofKey: scratch.string(0)))
    default: JSONItemPlace(path: listPath)
    }
  }

  /// Path of the item read last, as in `$.data[3]`; made when asked for.
  package var itemPath: String { itemPlace.description }

  /// The key of the member that the item read last is, on a tape and until the next one is looked
  /// for; nil when it is none.
  package var memberKey: (tape: JSONTape, token: Int)? {
    itemState == .members ? (scratch, 0) : nil
  }

  /// Byte offset of the next read.
  package var position: Int { document.scanner.position }

  /// Goes to the list.
  ///
  /// - Throws: ``JSONError`` when the path leads nowhere (it tells the names that are there), when
  ///   there is no array and no object, or when the text before the list is no JSON.
  ///
  /// - Parameter takesMembers: Whether an object of objects, where the list should be, is one item
  ///   for each member.
  /// - Parameter isChecked: Whether another reader has read the text to its end. Of the text beside
  ///   the list strings and brackets are followed then, and nothing else is checked.
  package init(
    _ bytes: UnsafeRawBufferPointer, at path: JSONPath = JSONPath(),
    options: JSONReadingOptions = JSONReadingOptions(), takesMembers: Bool = false,
    isChecked: Bool = false
  ) throws(JSONError) {
    self.bytes = bytes
    self.path = path
    self.options = options
    self.takesMembers = takesMembers
    self.isChecked = isChecked
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
  package func separated() -> JSONItemReader {
    var copy = self
    copy.scratch = JSONTape(capacity: 64)
    return copy
  }

  /// Reads the next item.
  ///
  /// - Returns: False when there is none; the whole document has been checked then.
  /// - Throws: ``JSONError``; nothing more can be read afterwards.
  package mutating func next(into tape: JSONTape) throws(JSONError) -> Bool {
    guard try seekItem() else { return false }
    let start = position
    do {
      guard state != .missing else {
        var scanner = JSONScanner(JSONItemReader.null)
        try scanner.scanValue(into: tape)
        finishItem(start..<start)
        return true
      }
      try document.scanner.scanValue(into: tape)
    } catch {
      throw error.inside(upcomingPath)
    }
    finishItem(start..<position)
    return true
  }

  /// The text of an item that is not there.
  private static var null: UnsafeRawBufferPointer {
    let text: StaticString = "null"
    return UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  var upcomingPath: String {
    switch state {
    case .elements: "\(listPath)[\(elementCount)]"
    case .members: listPath + JSONPath.text(ofKey: scratch.string(0))
    default: listPath
    }
  }

  mutating func finishItem(_ range: Range<Int>) {
    itemRange = range
    itemIndex += 1
    itemState = state
    if state == .elements || state == .members {
      elementCount += 1
    } else {
      state = .listEnded
    }
  }

  /// Goes to the first byte of the next item; false when there is none.
  mutating func seekItem() throws(JSONError) -> Bool {
    while true {
      switch state {
      case .single, .missing:
        return true
      case .elements:
        if try seekElement() { return true }
        state = .listEnded
      case .members:
        if try beginMember(listPath, isFirst: elementCount == 0) { return true }
        state = .listEnded
      case .listEnded:
        try leaveList()
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
    let isLine = options.format == .lines || !isFirst || isFollowed()
    let root = isLine ? "$[\(documentCount)]" : "$"
    documentCount += 1
    if try nextByte(root) == UInt8(ascii: "{") || !path.steps.isEmpty, isFirst,
      options.format == .automatic
    {
      takesLines = true
    }
    frames.removeAll(keepingCapacity: true)
    try followPath(from: root)
  }

  /// Whether the object that comes first is followed by more, so that it is one of several lines.
  private func isFollowed() -> Bool {
    guard options.format == .automatic, path.steps.isEmpty, bytes[position] == UInt8(ascii: "{"),
      let end = JSONSkipping.endOfValue(bytes, from: position)
    else { return false }
    var behind = document
    behind.scanner.position = end
    let next = behind.skipSpace()
    return next.brokeLine && !next.isAtEnd
  }

  /// Goes into the list at a place, or takes the value there as the one item.
  ///
  /// - Parameter isEach: Whether the path says that an object there is one of items.
  mutating func openList(at location: String, isEach: Bool) throws(JSONError) {
    listPath = location
    elementCount = 0
    switch try nextByte(location) {
    case UInt8(ascii: "["):
      document.scanner.position += 1
      state = .elements
    case UInt8(ascii: "{"):
      state = isEach ? .members : .single
      if !isEach, takesMembers, try holdsObjects(location) { state = .members }
      if state == .members { document.scanner.position += 1 }
    default:
      guard isInsideEach || (takesLines && path.steps.isEmpty) else { throw notAList() }
      state = .single
    }
  }

  /// Whether the first member of the object that comes is an object.
  private func holdsObjects(_ location: String) throws(JSONError) -> Bool {
    var ahead = separated()
    ahead.document.scanner.position += 1
    guard try ahead.beginMember(location, isFirst: true) else { return false }
    return try ahead.nextByte(location) == UInt8(ascii: "{")
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

/// Where an item stands in a payload.
package struct JSONItemPlace: Sendable, Equatable, CustomStringConvertible {
  /// The path of the item, or of the list that it is an element of.
  package let path: String
  /// Its position in that list, or -1.
  package let element: Int

  package init(path: String, element: Int = -1) {
    self.path = path
    self.element = element
  }

  package var description: String { element < 0 ? path : "\(path)[\(element)]" }
}
