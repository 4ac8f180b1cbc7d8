import SyncCore

/// A payload of which nothing can be used is hardly the one that was meant: an error document, or
/// an envelope around the list. Into an empty table it would be a success with a report that is
/// easily overlooked. Outlives the bytes.
struct UnusablePayload {
  private let request: SyncRequest
  private let places: ListAdvice
  /// Whether the payload as a whole is one object, as an error document is.
  private let isOneObject: Bool

  init(_ bytes: UnsafeRawBufferPointer, of request: SyncRequest) {
    self.request = request
    places = ListAdvice(in: bytes, at: request.setup.path, options: request.settings.reading)
    isOneObject = bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
  }

  /// - Throws: ``SyncError`` when no item has a readable key, or the payload is one object that
  ///   says nothing that its entity knows, and is none of those that are stored.
  func check(_ claims: Claims, _ report: ReportBuilder) throws {
    let state = claims.state
    guard request.settings.deletionGuard.isOn, request.itemPolicy != .quarantine else { return }
    let entity = request.plan.rootNode.entity
    let rows = claims[.mentioned(entity.rootIndex)]?.rows ?? []
    // The only item is one that may delete everything else.
    let isForeign =
      state.itemCount == 1 && request.setup.path == nil
      && request.settings.operations.contains(.delete) && isOneObject && !rows.isEmpty
      && rows.allSatisfy { $0 >= state.firstNewRow }
    guard isForeign || (state.isRootSuspended && !request.plan.rootNode.skipsUnidentified) else {
      return
    }
    let first = isForeign ? nil : report.content.firstRejected
    let reason =
      first?.message
      ?? "Beside keys it says nothing that “\(entity.name)” knows, as an error document does."
    throw SyncError(
      first?.code ?? .invalidItem, entity: entity.name, property: first?.property,
      path: first?.path ?? "$",
      message: advising(
        """
        \(state.itemCount == 1
          ? "The only item cannot be used." : "None of the \(state.itemCount) items can be used.") \(reason) Nothing was \
        changed.
        """))
  }

  /// Adds advice to a sentence that says that nothing of the payload can be used: where its lists
  /// lie comes first, because it is the cause then.
  func advising(_ sentence: String) -> String {
    places.paths.isEmpty ? "\(sentence) \(places.advice)" : "\(places.advice) \(sentence)"
  }
}

/// Where the lists of objects lie in a document that is one object around them, as most APIs
/// answer, or a list of one such object.
struct ListAdvice {
  /// The path that `at:` takes for each.
  let paths: [String]
  /// The one object, as the subject of a sentence.
  private let subject: String

  /// Objects in objects that are looked into.
  private static let depth = 4

  /// - Parameter path: The path that was looked at, if any.
  init(in bytes: UnsafeRawBufferPointer, at path: JSONPath?, options: JSONReadingOptions) {
    let only = try? ListAdvice.onlyObject(in: bytes, at: path, options: options)
    var place = path?.steps ?? []
    if only?.isElement == true, path?.leadsToEach != true { place.append(.each) }
    subject = only?.isElement == true ? "The only item" : "The document"
    paths = only.map { ListAdvice.lists(in: $0.object, under: place, ListAdvice.depth) } ?? []
  }

  private static func onlyObject(
    in bytes: UnsafeRawBufferPointer, at path: JSONPath?, options: JSONReadingOptions
  ) throws -> (object: JSONObject, isElement: Bool)? {
    let tape = JSONTape()
    var reader = try JSONItemReader(
      bytes, at: path ?? JSONPath(), options: options)
    guard try reader.next(into: tape), let object = tape.value(0).objectValue else { return nil }
    let isElement = reader.isElement
    return try reader.skipNext() == nil ? (object, isElement) : nil
  }

  private static func lists(in object: JSONObject, under path: [JSONPath.Step], _ depth: Int)
    -> [String]
  {
    object.flatMap { member -> [String] in
      let place = path + [.key(member.key)]
      switch member.value {
      case .array(let elements):
        return elements.first?.objectValue == nil ? [] : [JSONPath(place).text]
      case .object(let inner): return depth > 1 ? lists(in: inner, under: place, depth - 1) : []
      default: return []
      }
    }
  }

  /// A sentence that advises which path to give.
  var advice: String {
    switch paths.count {
    case 0: SyncError.listAdvice
    case 1: "\(subject) is one object with a list at \(paths[0]): at: \"\(paths[0])\" takes that."
    default:
      "\(subject) is one object with lists at \(paths.joined(separator: ", ")): at: \"\(paths[0])\" takes the first."
    }
  }
}
