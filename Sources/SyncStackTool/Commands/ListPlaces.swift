import Foundation
import SyncStack

/// Where the lists of objects lie in a document that is one object around them, as most APIs
/// answer, or a list of one such object, and objects by their keys, as Firebase has them.
struct ListPlaces {
  /// A list, and the marks by which the list that is meant is found.
  private struct Place {
    /// The path for `--at`.
    let path: String
    /// The entity after the key of the list; nil when the key says nothing.
    let name: String?
    let shape: ObjectShape
    let hasKey: Bool
    let count: Int
    /// Whether only plain values, and members known to be about the list, stand beside it.
    let isBare: Bool

    /// How well it fits the entity that is wanted: 0 by its name, 1 where the name says nothing, 3
    /// for a companion of an answer's list.
    func distance(to wanted: String?) -> Int {
      if isNamed(wanted) { return 0 }
      let key = path.split(separator: ".").last.map(String.init) ?? path
      if ListPlaces.companions.contains(key) { return 3 }
      return name == nil ? 1 : 2
    }

    func isNamed(_ wanted: String?) -> Bool {
      guard let wanted = wanted.map({ DraftNames.entity($0).lowercased() }) else { return false }
      return [EntityFinder.ownName(of: shape), name].contains { $0?.lowercased() == wanted }
    }
  }

  /// Members that stand beside the lists of many APIs.
  private static let besides: Set<String> = [
    "meta", "links", "_links", "pagination", "paging", "page", "page_info", "pageInfo", "info",
    "response_metadata", "cursor", "cursors", "header", "headers", "status", "query", "request",
  ]

  /// Lists that go with the one that an answer is about.
  private static let companions: Set<String> = ["included", "includes", "errors", "warnings"]

  private let places: [Place]
  /// The one object, as the subject of a sentence.
  private let subject: String
  /// The entity that is wanted, as far as anything says it.
  private let wanted: String?

  /// The path for `--at` of each.
  var paths: [String] { places.map(\.path) }

  /// - Parameters:
  ///   - shape: The shape of the document, or of the value at the path.
  ///   - path: The path that was given.
  ///   - isList: Whether the object is the only item of a list there.
  ///   - count: How many documents there are; when there are more items, they are no objects around
  ///     lists.
  ///   - wanted: The entity that is looked for.
  init(
    in shape: ObjectShape, at path: String? = nil, isList: Bool, of count: Int = 1,
    for wanted: String? = nil
  ) {
    self.wanted = wanted
    subject = isList ? "The only item" : "The document"
    var path = path ?? ""
    if isList, !JSONPath(path).leadsToEach { path = path.isEmpty ? "*" : path + "[]" }
    guard shape.count == count else {
      places = []
      return
    }
    places =
      ListPlaces.byKeys(shape, under: path, name: nil).map { [$0] }
      ?? ListPlaces.lists(in: shape, under: path, isBare: true)
  }

  /// - Parameter document: The whole document.
  init(in document: Data, at path: String?) throws {
    let shape = ObjectShape()
    let tape = JSONTape()
    var isList = false
    try document.withUnsafeBytes { bytes in
      var reader = try JSONItemReader(bytes, at: path.map { JSONPath($0) } ?? JSONPath())
      while try reader.next(into: tape) {
        if let object = tape.value(0).objectValue { shape.add(object) }
        isList = reader.isElement
      }
    }
    self.init(in: shape, at: path, isList: isList)
  }

  private static func lists(in shape: ObjectShape, under path: String, isBare: Bool) -> [Place] {
    let objects = shape.keys.filter { key in
      let member = shape.members[key]
      return (member?.object != nil || member?.elementObjects != nil) && !besides.contains(key)
    }
    return shape.keys.flatMap { key -> [Place] in
      guard let member = shape.members[key], DraftPath.canName(key) else { return [] }
      let place = DraftPath.adding(key, to: path)
      let isBare = isBare && objects == [key]
      let name = DraftNames.isList(key) ? nil : DraftNames.entity(key)
      if let object = member.object, let place = byKeys(object, under: place, name: name) {
        return [place]
      }
      if let elements = member.elementObjects {
        return ListPlaces.list(of: elements, at: place, name: name, isBare: isBare)
      }
      // Rows of values of several kinds are objects; of one kind they are numbers of a matrix.
      if let rows = member.rows, member.lists == member.present,
        Set(rows.keys.compactMap { rows.members[$0]?.kind }).count > 1
      {
        return [
          Place(
            path: place, name: name, shape: rows, hasKey: false, count: rows.count, isBare: true)
        ]
      }
      return member.object.map { lists(in: $0, under: place, isBare: isBare) } ?? []
    }
  }

  /// A list, and the lists of the objects that its elements wrap.
  private static func list(
    of elements: ObjectShape, at path: String, name: String?, isBare: Bool
  ) -> [Place] {
    let key = KeyFinder.ofRoot(elements, name ?? "Item").key
    let list = Place(
      path: path, name: name, shape: elements, hasKey: key != nil, count: elements.count,
      isBare: isBare)
    guard key?.count != 1 else { return [list] }
    let wrapped = elements.keys.compactMap { member -> Place? in
      guard let inner = elements.members[member], let object = inner.object,
        inner.objects == elements.count, DraftPath.canName(member),
        KeyFinder.ofRoot(object, DraftNames.entity(member)).key != nil
      else { return nil }
      return Place(
        path: DraftPath.adding(member, to: path + "[]"),
        name: KeyFinder.wrappers.contains(member) ? name : DraftNames.entity(member), shape: object,
        hasKey: true, count: object.count, isBare: isBare)
    }
    // The lists of GraphQL's connections.
    let isConnection = Set(elements.keys).isSubset(of: ["node", "cursor", "__typename"])
    return isConnection && !wrapped.isEmpty ? wrapped : [list] + wrapped
  }

  /// Objects by their keys, as far as the keys show that they are no names:
  /// `{"8863": {…}, "9224": {…}}`, or many of one form.
  private static func byKeys(_ shape: ObjectShape, under path: String, name: String?) -> Place? {
    let areNumbers = shape.keys.allSatisfy { $0.allSatisfy(\.isNumber) }
    guard shape.keys.count > (areNumbers ? 0 : 1),
      shape.members.values.allSatisfy({ $0.object != nil && $0.objects == $0.present })
    else { return nil }
    // A name begins with a letter, maybe behind a sign that marks a member about the object.
    let areNoNames = shape.keys.allSatisfy { key in
      !(key.drop { "$@_".contains($0) }.first?.isLetter ?? false)
    }
    let areCodes = shape.keys.allSatisfy { $0.contains(where: \.isNumber) }
    guard areNoNames || (shape.holdsAlikeObjects && (areCodes || shape.isDictionary)) else {
      return nil
    }
    return Place(
      path: path.isEmpty ? "*" : path + ".*", name: name, shape: shape.anyMember ?? shape,
      hasKey: true, count: shape.keys.count, isBare: true)
  }

  /// The one that is meant: the one of the name that is wanted, else of objects with keys, long,
  /// and near the top; nil when there is none, or it may as well be a part of the object.
  ///
  /// - Parameter isObject: Whether the document is an object with a key. Then only a name speaks
  ///   for a list, and not where the list holds objects like the document itself, as a tree does.
  func best(in document: ObjectShape, isObject: Bool) -> String? {
    let candidates = places.enumerated().filter { _, place in
      guard !isObject || document.isCollection else {
        return place.isNamed(wanted) && !document.isNamed(wanted) && !document.isLike(place.shape)
      }
      return place.hasKey || place.isBare || place.isNamed(wanted)
    }
    let best = candidates.min { one, other in
      func rank(_ place: (offset: Int, element: Place)) -> (Int, Int, Int, Int, Int) {
        let (offset, place) = place
        return (
          place.distance(to: wanted), place.hasKey ? 0 : 1, -place.count, place.path.count, offset
        )
      }
      return rank(one) < rank(other)
    }
    return best?.element.path
  }

  /// The list that was taken, and the option to type next.
  func advice(taking path: String) -> String {
    let others = paths.filter { $0 != path }
    return "\(subject) is one object with a list at \(path), and this is the model of that: give "
      + "--at \(ListPlaces.word(path)) to doctor and import too. "
      + (others.isEmpty ? "" : "There are others at \(others.joined(separator: ", ")). ")
      + "--at $ draws the document itself."
  }

  /// A path as a shell takes it.
  static func word(_ path: String) -> String {
    if path.allSatisfy({ $0.isLetter || $0.isNumber || "._-:@".contains($0) }) { return path }
    return path.contains("'") ? "\"\(path)\"" : "'\(path)'"
  }

  /// A sentence that names the option to type; nil when there is no list.
  var advice: String? {
    guard let first = paths.first else { return nil }
    return paths.count == 1
      ? "\(subject) is one object with a list at \(first): --at \(ListPlaces.word(first)) takes that."
      : "\(subject) is one object with lists at \(paths.joined(separator: ", ")): --at takes one of them."
  }
}

extension ObjectShape {
  /// Whether it says itself that it is the answer around a list.
  fileprivate var isCollection: Bool {
    if members["_embedded"]?.object != nil { return true }
    let ends = [
      "collection", "collectionpage", "bundle", "array", "featureset", "list", "response",
    ]
    return ["@type", "type", "object", "kind", "resourceType", "__typename"].contains { key in
      let text = members[key]?.scalars.constantText?.lowercased()
      return text.map { text in ends.contains(where: text.hasSuffix) } ?? false
    }
  }

  fileprivate func isNamed(_ wanted: String?) -> Bool {
    EntityFinder.ownName(of: self).map { $0.lowercased() == wanted?.lowercased() } ?? false
  }

  /// Whether objects have half of their keys in common.
  fileprivate func isLike(_ other: ObjectShape) -> Bool {
    let (mine, theirs) = (Set(keys), Set(other.keys))
    return mine.intersection(theirs).count * 2 >= min(mine.count, theirs.count)
  }

  /// The shape of one of the objects under the keys, which are all alike.
  fileprivate var anyMember: ObjectShape? {
    keys.first.flatMap { members[$0]?.object }
  }
}
