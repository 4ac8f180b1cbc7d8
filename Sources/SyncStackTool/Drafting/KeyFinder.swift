import SyncStack

/// Finds the member that tells the objects at one place of a payload apart, by its name. Values
/// that happen to differ tell nothing: where no name speaks for itself there is no key.
struct KeyFinder {
  let shape: ObjectShape
  /// The entity of the objects, of whose name a key may be made: `order_id`.
  let entity: String
  let place: Place
  /// Keys that turned out to stand for different objects.
  let rejected: Set<[String]>

  /// Where the key stands in an object, one or two steps deep; nil when no name speaks for one.
  var key: [String]? {
    guard !isAnyResource, !isTypedValue else { return nil }
    return candidates.first { !rejected.contains($0) && isKey($0) }
  }

  /// Members that differ in every object, as far as they may be keys at all: a person may choose
  /// one.
  var differing: [String] {
    guard shape.count > 1 else { return [] }
    return paths(in: shape, under: []).filter { isKey($0) && isUnique($0) }.map(DraftPath.text)
  }

  private func isUnique(_ path: [String]) -> Bool {
    shape.member(at: path)?.scalars.isUnique == true
  }

  /// The ways to all plain values, of three steps at most.
  private func paths(in shape: ObjectShape, under path: [String]) -> [[String]] {
    shape.keys.flatMap { key -> [[String]] in
      let place = path + [key]
      guard let object = shape.members[key]?.object, place.count < 3 else { return [place] }
      return paths(in: object, under: place)
    }
  }

  /// Where objects stand.
  enum Place {
    case items
    /// Under a key of their owners: each alone, or in a list.
    case single, listed
    /// Under a key that says nothing but that its owner is inside.
    case wrapped
  }

  /// Of the items of a payload.
  static func ofRoot(_ shape: ObjectShape, _ entity: String) -> KeyFinder {
    KeyFinder(shape: shape, entity: entity, place: .items, rejected: [])
  }

  /// The decision that is left to a person when an entity has no key.
  static func keyless(_ entity: String) -> String {
    "No key: nothing tells the objects of \(entity) apart for sure, so an import refuses them. Set "
      + "sync.isPrimaryKey at the attribute that does, or add them all each time, with the operations "
      + "insert,relationships,alwaysInsert."
  }

  /// The address of itself that an object of HAL has.
  private static let selfLink = ["_links", "self", "href"]

  private static func isPath(_ text: String) -> Bool {
    text.contains("/") && !text.contains(where: \.isWhitespace)
  }

  // MARK: - Names

  /// Keys of objects inside others that only wrap them: `{"kind": "t3", "data": {"id": …}}`, or of
  /// a part of an object in which its key stands: `{"metadata": {"uid": …}, "spec": …}`.
  static let wrappers = [
    "data", "node", "attributes", "fields", "properties", "resource", "metadata", "sys",
  ]

  /// Names that are keys whatever the object is.
  private static let usual = ["id", "remote_id", "remoteId", "remoteID", "_id", "ID", "Id", "@id"]
  private static let unique = [
    "uuid", "UUID", "guid", "uid", "sid", "gid", "OBJECTID", "objectId", "ObjectId", "objectID",
    "objectid",
  ]

  /// Names that are keys of some things and properties of others: one item alone says nothing, and
  /// in a list within an item they may name anything, as the product of an order's line.
  private var coded: [String] {
    switch place {
    case .items where shape.count > 1:
      [
        "key", "code", "slug", "sha", "cca3", "cca2", "alpha3Code", "alpha2Code", "iso3", "iso2",
        "isbn", "sku", "iata", "icao", "symbol",
      ]
    case .items, .wrapped: []
    case .single: ["key", "code", "slug", "sha"]
    case .listed: ["slug", "sha"]
    }
  }

  private var candidates: [[String]] {
    var result = (names + coded).flatMap { name in
      // {"_id": {"$oid": "…"}}
      [[name], [name, "$oid"]]
    }
    for wrapper in KeyFinder.wrappers {
      result += names.map { [wrapper, $0] }
    }
    guard case .items = place else { return result + [KeyFinder.selfLink] }
    // Databases name the key first, and after the table: “OrderID” of an entity that is no “Order”
    // here.
    if shape.count > 1, let first = shape.keys.first(where: { $0.first?.isLetter == true }),
      DraftNames.endsInID(first), isUnique([first])
    {
      result.append([first])
    }
    // Where nothing else names a resource, its address does.
    if shape.count > 1 {
      result += [["uri"], ["url"], ["href"], ["links", "self"]].filter(isUnique)
    }
    if shape.members["_embedded"] == nil, isUnique(KeyFinder.selfLink) {
      result.append(KeyFinder.selfLink)
    }
    // Names that lead to their objects: “projects/p/documents/cities/LA”.
    if let names = shape.members["name"]?.scalars, names.isUnique,
      names.distinct.allSatisfy({ KeyFinder.isPath($0.stringValue ?? "") })
    {
      result.append(["name"])
    }
    return result
  }

  /// A member of every object that has a key of its own, different in each: the objects may be
  /// there to wrap it.
  var keyedMember: String? {
    shape.keys.first { key in
      guard let member = shape.members[key], let inner = member.object,
        member.objects == shape.count,
        let path = KeyFinder(shape: inner, entity: entity, place: place, rejected: []).key
      else { return false }
      return inner.member(at: path)?.scalars.isUnique == true
    }
  }

  private var names: [String] {
    let snake = Inflection.naturalSnake(entity)
    let camel = DraftNames.uncapitalized(entity)
    return KeyFinder.usual
      + ["\(snake)_id", "\(camel)Id", "\(camel)ID", "\(entity)Id", "\(entity)ID", "\(entity)_ID"]
      + ["\(entity.lowercased())id"]
      + KeyFinder.unique
  }

  // MARK: - Values

  private func isKey(_ path: [String]) -> Bool {
    var shape = shape
    for step in path.dropLast() {
      guard let member = shape.members[step], let object = member.object,
        member.objects == shape.count, object.count == shape.count
      else { return false }
      shape = object
    }
    guard let last = path.last, let member = shape.members[last] else { return false }
    return member.present == shape.count && member.scalars.mayBeKey
      && member.scalars.count == shape.count
  }

  /// Whether it is a value with the name of its type, whose `id` names its column.
  private var isTypedValue: Bool {
    guard case .single = place else { return false }
    return shape.valuesByType != nil && EntityFinder.ownName(of: shape) == nil
  }

  /// Whether the objects are resources of JSON:API of several types: only type and id together name
  /// one.
  private var isAnyResource: Bool {
    shape.isResource && shape.members["type"]?.scalars.constantText == nil
  }
}

extension ObjectShape {
  /// Whether the objects have the form that JSON:API gives to objects with a type and an id.
  var isResource: Bool {
    let known: Set = ["id", "type", "attributes", "relationships", "links", "meta", "lid"]
    return members["type"] != nil && members["id"] != nil && keys.allSatisfy(known.contains)
  }

  /// The member at a way through objects.
  func member(at path: [String]) -> MemberShape? {
    guard let first = path.first, let member = members[first] else { return nil }
    return path.count == 1 ? member : member.object?.member(at: Array(path.dropFirst()))
  }
}

extension JSONObject {
  /// The value at a way through objects.
  func value(at path: [String]) -> JSONValue? {
    guard let first = path.first, let value = self[first] else { return nil }
    return path.count == 1 ? value : value.objectValue?.value(at: Array(path.dropFirst()))
  }
}
