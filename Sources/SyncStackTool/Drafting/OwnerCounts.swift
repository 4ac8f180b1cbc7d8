import SyncStack

/// Who lists whom in a payload: whether the members of a list have one owner each.
///
/// Confined to the command that reads the payload.
final class OwnerCounts {
  enum Sharing {
    /// No object stands in the lists of several owners.
    case none
    /// Several owners list the same objects.
    case shared
    /// Several owners use a key, and mean different objects.
    case perOwner
  }

  private struct Mention {
    let owner: JSONValue
    let content: Int
  }

  private struct Lists {
    var first: [JSONValue: Mention] = [:]
    var hasEqual = false
    var hasDifferent = false
  }

  private var lists: [ObjectIdentifier: Lists] = [:]

  /// Looks at an item and everything below it.
  func add(_ object: JSONObject, of entity: FoundEntity) {
    let owner = entity.key.flatMap { object[$0] } ?? .object(object)
    add(object, of: entity.shape, owner: owner)
  }

  private func add(_ object: JSONObject, of shape: ObjectShape, owner: JSONValue) {
    for member in object {
      guard let known = shape.members[member.key] else { continue }
      switch (member.value, known.entity) {
      case (.object(let value), let target?):
        add(value, of: target)
      case (.array(let values), let target?):
        for case .object(let value) in values {
          if let key = target.key.flatMap({ value[$0] }) {
            note(key, value, under: known, owner: owner)
          }
          add(value, of: target)
        }
      case (.object(let value), nil):
        if let shape = known.object { add(value, of: shape, owner: owner) }
      default:
        break
      }
    }
  }

  private func note(
    _ key: JSONValue, _ object: JSONObject, under member: MemberShape, owner: JSONValue
  ) {
    let mention = Mention(owner: owner, content: object.hashValue)
    let place = ObjectIdentifier(member)
    guard let first = lists[place]?.first[key] else {
      lists[place, default: Lists()].first[key] = mention
      return
    }
    guard first.owner != owner else { return }
    if first.content == mention.content {
      lists[place]?.hasEqual = true
    } else {
      lists[place]?.hasDifferent = true
    }
  }

  func sharing(of member: MemberShape) -> Sharing {
    guard let lists = lists[ObjectIdentifier(member)] else { return .none }
    if lists.hasEqual { return .shared }
    return lists.hasDifferent ? .perOwner : .none
  }
}
