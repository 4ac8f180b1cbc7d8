import SyncStack

/// The shape of the objects at one place of a payload: their members, in the order in which they
/// were first seen.
///
/// Confined to the command that reads the payload.
final class ObjectShape {
  private(set) var count = 0
  private(set) var keys: [String] = []
  private(set) var members: [String: MemberShape] = [:]
  /// Which keys came together, and how often.
  private(set) var company = KeyCompany()

  func add(_ object: JSONObject) {
    count += 1
    company.add(Set(object.lazy.map(\.key)))
    for member in object { self.member(member.key).add(member.value) }
  }

  /// Adds the members of objects at another place.
  func merge(_ other: ObjectShape) {
    count += other.count
    company.merge(other.company)
    for key in other.keys {
      if let theirs = other.members[key] { member(key).merge(theirs) }
    }
  }

  private func member(_ key: String) -> MemberShape {
    if let known = members[key] { return known }
    let new = MemberShape()
    keys.append(key)
    members[key] = new
    return new
  }

  /// Whether a path with dots leads to every member.
  var hasPlainKeys: Bool { keys.allSatisfy { !$0.isEmpty && !$0.contains(".") } }

  /// Whether the keys are data, as in `{"de": "Wien"}` with other languages elsewhere, or
  /// `{"17": …, "23": …}`: then they are no names of properties.
  var isDictionary: Bool {
    if keys.isEmpty { return true }
    if keys.count >= ObjectShape.manyObjects, holdsAlikeObjects { return true }
    // A sign before a name marks a member about the object: {"$oid": …}, {"@type": …}.
    let names = keys.map { $0.drop { "$@_".contains($0) } }
    if names.contains(where: { !($0.first?.isLetter ?? false) }) { return true }
    // Codes of currencies or countries: {"EUR": …, "USD": …}.
    if keys.allSatisfy({ (2...3).contains($0.count) && $0.allSatisfy { ("A"..."Z").contains($0) } }
    ),
      keys != ["ID"]
    {
      return true
    }
    return count >= 3 && keys.allSatisfy { members[$0].map { $0.present * 2 < count } ?? false }
  }

  /// The keys of values that are named by a type beside them: `{"type": "date", "date": …}`;
  /// nil where none are.
  var valuesByType: Set<String>? {
    guard let types = members["type"]?.scalars, types.texts == count else { return nil }
    let names = Set(types.distinct.compactMap(\.stringValue))
    return names.isSubset(of: keys) && !names.contains("type") ? names : nil
  }

  /// Objects of one form under as many keys are no parts of their owner.
  private static let manyObjects = 10

  /// Whether there is an object under every key, and most have the same members.
  var holdsAlikeObjects: Bool {
    let shapes = members.values.compactMap { $0.objects == $0.present ? $0.object : nil }
    guard shapes.count == keys.count, keys.count > 1 else { return false }
    var counts: [String: Int] = [:]
    for shape in shapes { for key in shape.keys { counts[key, default: 0] += 1 } }
    let common = counts.filter { $0.value * 2 > shapes.count }.keys
    return !common.isEmpty
      && shapes.allSatisfy { shape in
        common.count { shape.members[$0] != nil } * 2 >= common.count
      }
  }
}

/// The shape of the values under one key.
final class MemberShape {
  /// Objects that have the key, with whatever value.
  private(set) var present = 0
  /// The plain values that stand there, and null.
  private(set) var scalars = ScalarShape()
  private(set) var objects = 0
  private(set) var lists = 0
  private(set) var object: ObjectShape?
  /// The plain values that stand in lists.
  private(set) var elements = ScalarShape()
  private(set) var elementObjects: ObjectShape?
  private(set) var hasInnerLists = false
  /// The values of lists in lists, by their positions.
  private(set) var rows: ObjectShape?
  /// Values of a row; longer ones are data in themselves.
  private static let mostPositions = 200

  /// Of which kind all values are; nil when they are of several, or all null.
  var kind: String? {
    let kinds = [
      (objects, "object"), (lists, "list"), (scalars.texts, "text"), (scalars.booleans, "boolean"),
      (scalars.integers + scalars.fractions, "number"),
    ].filter { $0.0 > 0 }
    return kinds.count == 1 ? kinds[0].1 : nil
  }

  /// The entity of the objects here, or in the lists here, once it was found.
  var entity: FoundEntity?

  func add(_ value: JSONValue) {
    present += 1
    switch value {
    case .object(let value):
      objects += 1
      let shape = object ?? ObjectShape()
      object = shape
      shape.add(value)
    case .array(let values):
      lists += 1
      for element in values { addElement(element) }
    default:
      scalars.add(value)
    }
  }

  private func addElement(_ element: JSONValue) {
    switch element {
    case .object(let value):
      let shape = elementObjects ?? ObjectShape()
      elementObjects = shape
      shape.add(value)
    case .array(let values):
      hasInnerLists = true
      guard values.count <= MemberShape.mostPositions, let row = element.row else { return }
      let shape = rows ?? ObjectShape()
      rows = shape
      shape.add(row)
    default:
      elements.add(element)
    }
  }

  func merge(_ other: MemberShape) {
    present += other.present
    scalars.merge(other.scalars)
    objects += other.objects
    lists += other.lists
    elements.merge(other.elements)
    hasInnerLists = hasInnerLists || other.hasInnerLists
    object = merged(object, other.object)
    elementObjects = merged(elementObjects, other.elementObjects)
    if let theirs = other.rows {
      if let rows { rows.merge(theirs) } else { rows = theirs }
    }
  }

  /// The shape of both; where the entity is known, that of the entity has them all.
  private func merged(_ mine: ObjectShape?, _ theirs: ObjectShape?) -> ObjectShape? {
    guard let theirs else { return mine }
    if let entity, entity.shape !== theirs { entity.shape.merge(theirs) }
    if let mine {
      if entity == nil { mine.merge(theirs) }
      return mine
    }
    return theirs
  }
}

extension JSONValue {
  /// A list of values as the object that paths of positions see in it: `["a", 1]` is
  /// `{"0": "a", "1": 1}`; nil for a list of objects, and for any other value.
  var row: JSONObject? {
    guard let values = arrayValue, values.allSatisfy({ $0.objectValue == nil }) else { return nil }
    return JSONObject(values.enumerated().map { (key: "\($0)", value: $1) })
  }
}

/// Objects that a key tells apart, at one place of the payload or at several.
final class FoundEntity {
  let name: String
  let shape: ObjectShape
  /// Where in an object the value stands that identifies it; nil when there is none.
  let key: [String]?
  /// Where its objects stand, but for the items of the payload.
  var places: [String] = []

  init(name: String, shape: ObjectShape, key: [String]?) {
    self.name = name
    self.shape = shape
    self.key = key
  }

  /// The values of the keys.
  var keyValues: ScalarShape? { key.flatMap { shape.member(at: $0) }?.scalars }

  /// Whether texts tell the objects apart as their keys do, as those of `node_id` do: then they
  /// name the objects themselves.
  func isNamed(by values: ScalarShape) -> Bool {
    guard let keys = keyValues else { return false }
    return values.texts == shape.count && values.isCounted && keys.isCounted
      && values.distinct.count == keys.distinct.count
  }
}
