import SyncCore
import SyncEngine
import SyncStore

/// The settings of remote sync in the user info of a model.
///
/// | user info | on | values |
/// |---|---|---|
/// | `cloud.scope` | entity | `private`, `public`, `none`; subentities have their parent's |
/// | `cloud.mask` | property | `upload`, `download`, `both`: does not travel that way |
/// | `cloud.parent` | entity | the to-one relationship to the objects that its objects are shared with |
/// | `cloud.identity` | entity | `primaryKey`, the default where there is one: objects of one key are one record; `none` |
/// | `cloud.policy` | property | `newest`, `server`, `largest`, `smallest` |
/// | `cloud.encrypted` | attribute | `true`, `false`; also `allowsCloudEncryption` of the model document |
/// | `cloud.asset` | attribute | `eager`, `onDemand`: bytes travel as a file; also `external storage` of the model document, which is `eager` |
///
/// Without these, a model may have CloudCore's; see ``CloudCoreAnnotations``.
enum CloudAnnotations {
  /// - Returns: The scope, or nil when the entity does not travel.
  static func scope(of entity: EntityDescription) throws(CloudError) -> CloudZone.Scope? {
    for each in entity.line {
      var word = each.userInfo["cloud.scope"]
      if word == nil { word = try CloudCoreAnnotations.scope(of: each) }
      if let word {
        guard known.contains(word) else {
          throw unknown(word, "cloud.scope", entity.name, "private, public or none")
        }
        return CloudZone.Scope(rawValue: word)
      }
    }
    return .private
  }

  private static let known = ["private", "public", "none"]

  /// Which ways a property does not travel.
  static func mask(
    of property: PropertyDescription, in entity: EntityDescription
  ) throws(CloudError) -> (upload: Bool, download: Bool) {
    guard let word = property.userInfo["cloud.mask"] else {
      return try CloudCoreAnnotations.mask(of: property, in: entity)
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

  /// Slots of the attributes that say which object it is; empty when every object is one of its
  /// own: the primary key, else the first uniqueness constraint, unless the model says otherwise.
  static func identity(of entity: EntityDescription) throws(CloudError) -> [Int] {
    let line = entity.line
    if let word = line.lazy.compactMap({ $0.userInfo["cloud.identity"] }).first {
      guard word == "primaryKey" || word == "none" else {
        throw unknown(word, "cloud.identity", entity.name, "primaryKey and none")
      }
      if word == "none" { return [] }
      if entity.primaryKey == nil {
        throw CloudError(
          .unsupported,
          message:
            "\(entity.name) says cloud.identity = primaryKey and has no primary key. Annotate one "
            + "with sync.isPrimaryKey, or leave cloud.identity out.")
      }
      return entity.primaryKey.map { [$0.slot] } ?? []
    }
    if let key = entity.primaryKey, !line.contains(where: isUniquePerOwner) { return [key.slot] }
    for constraint in line.flatMap(\.uniquenessConstraints) {
      let slots = constraint.compactMap { entity.property(named: $0)?.attribute?.slot }
      if !slots.isEmpty, slots.count == constraint.count { return slots }
    }
    return []
  }

  /// Whether keys of the entity are unique per owner only, so that they do not say which object it
  /// is.
  private static func isUniquePerOwner(_ entity: EntityDescription) -> Bool {
    entity.model.entities.contains { owner in
      owner.relationships.contains {
        MappingRules.keyScopeIsOwner($0) && owner.destination(of: $0) == entity
      }
    }
  }

  /// The name of the relationship to the objects that an entity's objects are shared with.
  static func parent(of entity: EntityDescription) throws(CloudError) -> String? {
    for each in entity.line {
      if let name = each.userInfo["cloud.parent"] ?? each.userInfo["CloudCoreParent"] {
        guard let parent = entity.property(named: name)?.relationship, !parent.isToMany else {
          throw unknown(
            name, each.userInfo["cloud.parent"] == nil ? "CloudCoreParent" : "cloud.parent",
            each.name, "the names of its to-one relationships")
        }
        return name
      }
    }
    return nil
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

  /// The attributes whose values are sealed.
  static func sealed(
    of entity: EntityDescription, _ slots: [Int], identity: [Int]
  ) throws(CloudError) -> Set<String> {
    var sealed: Set<String> = []
    for property in slots.map({ entity.properties[$0] }) {
      let place = "\(entity.name).\(property.name)"
      let word = property.userInfo["cloud.encrypted"] ?? property.userInfo["allowsCloudEncryption"]
      switch word?.lowercased() {
      case nil, "false", "no", "0": continue
      case "true", "yes", "1": sealed.insert(property.name)
      case let word?: throw unknown(word, "cloud.encrypted", place, "true and false")
      }
      let reason: String? =
        property.attribute == nil
        ? "is a relationship, and only attributes are encrypted"
        : identity.contains(property.slot)
          ? "says which object it is, and its record is named by it. Say cloud.identity = none"
          : nil
      if let reason {
        throw CloudError(.unsupported, message: "\(place) is to be encrypted, but \(reason).")
      }
    }
    return sealed
  }

  /// The attributes whose bytes travel as files.
  static func assets(
    of entity: EntityDescription, _ slots: [Int], identity: [Int], sealed: Set<String>
  ) throws(CloudError) -> [String: AssetRule] {
    var assets: [String: AssetRule] = [:]
    let cached = try CloudCoreAnnotations.cachedAttribute(of: entity)
    for property in slots.map({ entity.properties[$0] }) {
      let place = "\(entity.name).\(property.name)"
      guard let word = property.userInfo["cloud.asset"] else {
        if property.name == cached { assets[property.name] = .onDemand }
        let isExternal = property.userInfo["allowsExternalBinaryDataStorage"] != nil
        // A sealed value travels within its record.
        if isExternal, property.attribute?.type == .binary, !sealed.contains(property.name) {
          assets[property.name] = assets[property.name] ?? .eager
        }
        continue
      }
      guard let rule = AssetRule(rawValue: word) else {
        throw unknown(word, "cloud.asset", place, "eager and onDemand")
      }
      let reason: String? =
        property.attribute?.type != .binary && property.attribute?.type != .string
        ? "holds neither bytes nor the name of a file: binary and string attributes do"
        : sealed.contains(property.name)
          ? "is encrypted, and files are named by their bytes. Encrypt the bytes before they are set, or take "
            + "cloud.asset out, so that they travel sealed within the record"
          : identity.contains(property.slot)
            ? "says which object it is. Say cloud.identity = none" : nil
      if let reason {
        throw CloudError(
          .unsupported, message: "\(place) says cloud.asset in its user info, but \(reason).")
      }
      assets[property.name] = rule
    }
    return assets
  }

  /// Refuses a name like these that is not known: mostly a misspelt one.
  static func check(_ entity: EntityDescription) throws(CloudError) {
    try check(
      entity.userInfo, entity.name,
      [
        "cloud.scope", "cloud.parent", "cloud.identity", "CloudCoreScopes", "CloudCoreParent",
        "CloudCoreCacheable",
      ])
    for property in entity.properties {
      try check(
        property.userInfo, "\(entity.name).\(property.name)",
        [
          "cloud.mask", "cloud.policy", "cloud.encrypted", "cloud.asset", "CloudCoreMasks",
          "CloudCoreType",
        ])
    }
  }

  private static func check(
    _ userInfo: [String: String], _ place: String, _ known: [String]
  ) throws(CloudError) {
    for key in userInfo.keys.sorted()
    where (key.hasPrefix("cloud.") || key.hasPrefix("CloudCore")) && !known.contains(key) {
      throw CloudError(
        .unsupported,
        message:
          "\(place) says \(key) in its user info, which is not known there. Known are "
          + known.joined(separator: ", ") + ".")
    }
  }

  static func unknown(
    _ word: String, _ key: String, _ place: String, _ known: String
  ) -> CloudError {
    CloudError(
      .unsupported,
      message: "\(place) says \(key) = “\(word)” in its user info; known are \(known).")
  }
}
