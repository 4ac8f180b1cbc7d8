import SyncStack

/// Checks the keys that were found in the objects of a payload: whether a key always stands for the
/// same object, whether several owners list an object, and which members lead back to its owner.
///
/// Confined to the command that reads the payload.
final class KeyChecks {
  enum Sharing {
    /// No object stands in the lists of several owners.
    case none
    /// Several owners list the same objects.
    case shared
    /// Several owners use a key, and mean different objects.
    case perOwner
  }

  /// Two objects of one key that say different things.
  struct Conflict {
    let key: JSONValue
    /// The member that differs in them.
    let name: String
    /// Where they stand: nothing for the items of the payload.
    let places: [String]
    /// The member under which the second one stands.
    let member: MemberShape?
    /// Whether both stand in lists of one place, and of different owners.
    let isBetweenOwners: Bool
    /// Whether only lists of plain values differ.
    let isInList: Bool
  }

  private struct Mention {
    let object: JSONObject
    let place: String
    let member: MemberShape?
    let owner: JSONValue?
  }

  private struct Lists {
    var first: [JSONValue: (owner: JSONValue, content: Int)] = [:]
    var hasEqual = false
    var hasDifferent = false
  }

  /// The references of the objects under a member, by key: how many lead to the owner, and how many
  /// elsewhere.
  private struct WaysBack {
    var counts: [String: (same: Int, other: Int)] = [:]
    var owners: [JSONValue: JSONValue] = [:]
    var hasSeveralOwners = false
  }

  /// Objects of an entity that are kept for comparison.
  private static let mostMentions = 200_000

  private var mentions: [ObjectIdentifier: [JSONValue: Mention]] = [:]
  private var lists: [ObjectIdentifier: Lists] = [:]
  private var ways: [ObjectIdentifier: WaysBack] = [:]
  /// By entity.
  private(set) var conflicts: [String: Conflict] = [:]
  /// Lists that differ, of one key: one of them may be shortened.
  private var doubtful: [String: Conflict] = [:]

  /// Looks at an item and everything below it.
  func add(_ object: JSONObject, of entity: FoundEntity) {
    visit(object, of: entity, at: "", under: nil, owner: nil)
  }

  private func visit(
    _ object: JSONObject, of entity: FoundEntity, at place: String, under member: MemberShape?,
    owner: JSONValue?
  ) {
    let key = entity.key.flatMap { object.value(at: $0) }
    if let key {
      let mention = Mention(object: object, place: place, member: member, owner: owner)
      note(mention, key, of: entity)
    }
    descend(object, of: entity.shape, in: entity, at: entity.name, owner: key ?? .object(object))
  }

  private func descend(
    _ object: JSONObject, of shape: ObjectShape, in entity: FoundEntity, at path: String,
    owner: JSONValue
  ) {
    for member in object {
      guard let known = shape.members[member.key] else { continue }
      let place = "\(path).\(member.key)"
      switch (member.value, known.entity) {
      case (.object(let value), let target?):
        noteWaysBack(value, of: target, under: known, to: entity, owner)
        visit(value, of: target, at: place, under: known, owner: owner)
      case (.array(let values), let target?):
        for case .object(let value) in values {
          if let key = target.key.flatMap({ value.value(at: $0) }) {
            noteList(key, value, under: known, owner: owner)
          }
          noteWaysBack(value, of: target, under: known, to: entity, owner)
          visit(value, of: target, at: place, under: known, owner: owner)
        }
      case (.object(let value), nil):
        if let shape = known.object {
          descend(value, of: shape, in: entity, at: place, owner: owner)
        }
      default:
        break
      }
    }
  }

  // MARK: - Conflicts

  private func note(_ mention: Mention, _ key: JSONValue, of entity: FoundEntity) {
    // 1 and "1" are one key where it is kept as text.
    let key = key.integerValue.map { .string("\($0)") } ?? key
    let id = ObjectIdentifier(entity)
    guard let first = mentions[id]?[key] else {
      guard mentions[id]?.count ?? 0 < KeyChecks.mostMentions else { return }
      mentions[id, default: [:]][key] = mention
      return
    }
    func difference(_ lists: ListComparison) -> String? {
      KeyChecks.difference(first.object, mention.object, of: entity.shape, lists)
    }
    let isSamePlace = first.place == mention.place
    let plain = difference(.none)
    let hard = plain ?? difference(isSamePlace ? .plain : .plainOfOneLength)
    guard let name = hard ?? difference(.all) else { return }
    let conflict = Conflict(
      key: key, name: name, places: [first.place, mention.place], member: mention.member,
      isBetweenOwners: isSamePlace && mention.member?.elementObjects != nil
        && first.owner != mention.owner,
      isInList: plain == nil)
    if hard == nil {
      doubtful[entity.name] = doubtful[entity.name] ?? conflict
      return
    }
    // Those that speak against more are kept.
    if let known = conflicts[entity.name], !(known.isBetweenOwners && !conflict.isBetweenOwners) {
      return
    }
    conflicts[entity.name] = conflict
  }

  /// Takes lists that differ for conflicts where one key stands for all objects: such a key names
  /// nothing.
  func finish(_ entities: [FoundEntity]) {
    for entity in entities where mentions[ObjectIdentifier(entity)]?.count == 1 {
      conflicts[entity.name] = conflicts[entity.name] ?? doubtful[entity.name]
    }
  }

  /// Which lists count where two objects are compared.
  private enum ListComparison {
    case none
    /// Those of plain values, as `[3, 12]` for where a name stands in a text; elsewhere one of two
    /// may be shortened.
    case plainOfOneLength, plain
    /// All, and null in the place of an object.
    case all

    func tells(_ one: [JSONValue], from other: [JSONValue]) -> Bool {
      guard self != .none, one != other else { return false }
      if self == .all { return true }
      return (self == .plain || one.count == other.count)
        && (one + other).allSatisfy { $0.objectValue == nil && $0.arrayValue == nil }
    }
  }

  /// The first member that has two values.
  private static func difference(
    _ one: JSONObject, _ other: JSONObject, of shape: ObjectShape, _ lists: ListComparison
  ) -> String? {
    for member in other {
      guard let mine = one[member.key] else { continue }
      if lists == .all, (mine == .null) != (member.value == .null) { return member.key }
      guard lists == .all || shape.members[member.key]?.entity == nil else { continue }
      switch (mine, member.value) {
      case (.object(let mine), .object(let theirs)):
        guard let inner = shape.members[member.key]?.object else { continue }
        if let name = difference(mine, theirs, of: inner, lists) { return "\(member.key).\(name)" }
      case (.array(let mine), .array(let theirs)):
        if lists.tells(mine, from: theirs) { return member.key }
      // An object may be given by its key.
      case (.object, _), (_, .object), (.array, _), (_, .array): continue
      default: if mine != member.value { return member.key }
      }
    }
    return nil
  }

  // MARK: - Owners

  private func noteList(
    _ key: JSONValue, _ object: JSONObject, under member: MemberShape, owner: JSONValue
  ) {
    let place = ObjectIdentifier(member)
    guard let first = lists[place]?.first[key] else {
      lists[place, default: Lists()].first[key] = (owner, object.hashValue)
      return
    }
    guard first.owner != owner else { return }
    if first.content == object.hashValue {
      lists[place]?.hasEqual = true
    } else {
      lists[place]?.hasDifferent = true
    }
  }

  func sharing(of member: MemberShape?) -> Sharing {
    guard let member, let lists = lists[ObjectIdentifier(member)] else { return .none }
    if lists.hasEqual { return .shared }
    return lists.hasDifferent ? .perOwner : .none
  }

  // MARK: - Ways back

  private func noteWaysBack(
    _ object: JSONObject, of target: FoundEntity, under member: MemberShape, to entity: FoundEntity,
    _ owner: JSONValue
  ) {
    let place = ObjectIdentifier(member)
    if let key = target.key.flatMap({ object.value(at: $0) }) {
      let first = ways[place]?.owners[key]
      if first == nil { ways[place, default: WaysBack()].owners[key] = owner }
      if let first, first != owner { ways[place]?.hasSeveralOwners = true }
    }
    for back in object {
      guard let leads = leads(back, of: target, to: entity, owner) else { continue }
      var counts = ways[place]?.counts[back.key] ?? (0, 0)
      if leads { counts.same += 1 } else { counts.other += 1 }
      ways[place, default: WaysBack()].counts[back.key] = counts
    }
  }

  /// Whether a member names the owner; nil when it names nothing of its kind.
  private func leads(
    _ back: JSONObject.Member, of target: FoundEntity, to entity: FoundEntity, _ owner: JSONValue
  ) -> Bool? {
    switch back.value {
    case .null: return nil
    case .object(let object):
      guard target.shape.members[back.key]?.entity === entity else { return nil }
      return entity.key.flatMap { object.value(at: $0) } == owner
    case .array(let values):
      guard !values.isEmpty else { return nil }
      return values.contains { value in
        value == owner
          || entity.key.flatMap { value.objectValue?.value(at: $0) } == owner
      }
    default: return back.value == owner
    }
  }

  /// The keys by which all objects under a member lead back to their owner.
  func waysBack(from member: MemberShape) -> Set<String> {
    let counts = ways[ObjectIdentifier(member)]?.counts ?? [:]
    return Set(counts.filter { $0.value.same > 0 && $0.value.other == 0 }.keys)
  }

  /// Whether an object under a member has one owner.
  func hasOneOwner(_ member: MemberShape) -> Bool {
    !(ways[ObjectIdentifier(member)]?.hasSeveralOwners ?? false)
  }
}
