import SyncCore
import SyncStore

/// What the user info of a model says about remote sync.
///
/// | user info | on | values |
/// |---|---|---|
/// | `cloud.scope`, or the first known word of `CloudCoreScopes` | entity | `private`, `public`, `none`; subentities have their parent's |
/// | `cloud.mask`, or words of `CloudCoreMasks` | property | `upload`, `download`, `both`: does not travel that way |
/// | `cloud.identity` | entity | `primaryKey`: objects of one key are one record |
/// | `cloud.policy` | property | `newest`, `server`, `largest`, `smallest` |
enum CloudAnnotations {
  /// - Returns: The scope, or nil when the entity does not travel.
  static func scope(of entity: EntityDescription) throws(CloudError) -> CloudZone.Scope? {
    var current: EntityDescription? = entity
    while let each = current {
      let word =
        each.userInfo["cloud.scope"]
        ?? words(each.userInfo["CloudCoreScopes"]).first { known.contains($0) }
      if let word {
        guard known.contains(word) else {
          throw unknown(word, "cloud.scope", entity.name, "private, public or none")
        }
        return CloudZone.Scope(rawValue: word)
      }
      current = each.superentity
    }
    return .private
  }

  private static let known = ["private", "public", "none"]

  /// Which ways a property does not travel.
  static func mask(
    of property: PropertyDescription, in entity: EntityDescription
  ) throws(CloudError) -> (upload: Bool, download: Bool) {
    guard let word = property.userInfo["cloud.mask"] else {
      let words = words(property.userInfo["CloudCoreMasks"])
      return (words.contains("upload"), words.contains("download"))
    }
    switch word {
    case "upload": return (true, false)
    case "download": return (false, true)
    case "both": return (true, true)
    default:
      let place = "\(entity.name).\(property.name)"
      throw unknown(word, "cloud.mask", place, "upload, download or both")
    }
  }

  /// Slots of the attributes that say which object it is; empty when every object is one of its own.
  static func identity(of entity: EntityDescription) throws(CloudError) -> [Int] {
    var current: EntityDescription? = entity
    while let each = current {
      if let word = each.userInfo["cloud.identity"] {
        guard word == "primaryKey" else {
          throw unknown(word, "cloud.identity", entity.name, "primaryKey")
        }
        guard let key = entity.primaryKey else {
          throw CloudError(
            .unsupported,
            message:
              "\(entity.name) says cloud.identity = primaryKey and has no primary key. Annotate one "
              + "with sync.isPrimaryKey, or leave cloud.identity out.")
        }
        return [key.slot]
      }
      for constraint in each.uniquenessConstraints {
        let slots = constraint.compactMap { entity.property(named: $0)?.attribute?.slot }
        if !slots.isEmpty, slots.count == constraint.count { return slots }
      }
      current = each.superentity
    }
    return []
  }

  static func policy(
    of property: PropertyDescription, in entity: EntityDescription
  ) throws(CloudError) -> CloudPolicy? {
    switch property.userInfo["cloud.policy"] {
    case nil, "newest": return nil
    case "server": return .server
    case "largest": return .largest
    case "smallest": return .smallest
    case let word?:
      let place = "\(entity.name).\(property.name)"
      throw unknown(word, "cloud.policy", place, "newest, server, largest or smallest")
    }
  }

  private static func words(_ text: String?) -> [String] {
    (text ?? "").split { !$0.isLetter }.map { $0.lowercased() }
  }

  private static func unknown(
    _ word: String, _ key: String, _ place: String, _ known: String
  ) -> CloudError {
    CloudError(
      .unsupported,
      message: "\(place) says \(key) = “\(word)” in its user info; known are \(known).")
  }
}
