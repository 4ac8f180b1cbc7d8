import SyncCore

/// The settings of a model that was made for CloudCore.
///
/// | user info | on | taken as |
/// |---|---|---|
/// | `CloudCoreScopes` | entity | the scope; one at most, and none when it is empty |
/// | `CloudCoreMasks` | property | the mask |
/// | `CloudCoreType` | attribute | service attributes do not travel: SyncStack keeps such values beside the data |
/// | `CloudCoreParent` | entity | the parent |
/// | `CloudCoreCacheable` | entity | its binary attribute is a file that comes on demand, whatever its mask says; refused when it has not got one |
enum CloudCoreAnnotations {
  /// - Returns: The word that `cloud.scope` would say; nil when the entity says nothing.
  static func scope(of entity: EntityDescription) throws(CloudError) -> String? {
    guard let text = entity.userInfo["CloudCoreScopes"] else { return nil }
    let words = try words(text, of: ["private", "public", "none"], "CloudCoreScopes", entity.name)
    if words.contains("private"), words.contains("public") {
      throw CloudError(
        .unsupported,
        message:
          "\(entity.name) says CloudCoreScopes = “\(text)” in its user info. Objects of an entity travel in one "
          + "scope: say cloud.scope = private or cloud.scope = public beside it, or make two entities."
      )
    }
    return words.first ?? "none"
  }

  /// Which ways a property does not travel.
  static func mask(
    of property: PropertyDescription, in entity: EntityDescription
  ) throws(CloudError) -> (upload: Bool, download: Bool) {
    // There the file of an entity that is cacheable travels beside the mask.
    if try cachedAttribute(of: entity) == property.name { return (false, false) }
    let words = try words(
      property.userInfo["CloudCoreMasks"] ?? "", of: ["upload", "download", "both"],
      "CloudCoreMasks", "\(entity.name).\(property.name)")
    let both = words.contains("both")
    return (both || words.contains("upload"), both || words.contains("download"))
  }

  /// Words between commas; only known ones.
  private static func words(
    _ text: String, of known: [String], _ key: String, _ place: String
  ) throws(CloudError) -> [String] {
    let words = text.split { !$0.isLetter }.map { $0.lowercased() }
    if let word = words.first(where: { !known.contains($0) }) {
      throw CloudAnnotations.unknown(
        word, key, place,
        known.dropLast().joined(separator: ", ") + " and \(known[known.count - 1])")
    }
    return words
  }

  // MARK: - Service attributes

  private static let roles = ["recordName", "ownerName", "privateRecordData", "publicRecordData"]

  /// The attributes in which CloudCore keeps its own notes: those that say so, and those that have
  /// their names in an entity that has all four.
  static func serviceAttributes(of entity: EntityDescription) throws(CloudError) -> Set<String> {
    var names: [String: String] = [:]
    for property in entity.properties {
      guard let role = property.userInfo["CloudCoreType"] else { continue }
      guard roles.contains(role) else {
        throw CloudAnnotations.unknown(
          role, "CloudCoreType", "\(entity.name).\(property.name)", roles.joined(separator: ", "))
      }
      names[role] = property.name
    }
    let all = roles.map { names[$0] ?? $0 }
    let isComplete = all.allSatisfy { entity.property(named: $0)?.attribute != nil }
    return Set(isComplete ? all : Array(names.values))
  }

  // MARK: - Others

  /// The attribute that holds the files of an entity that is cacheable: its one binary attribute.
  static func cachedAttribute(of entity: EntityDescription) throws(CloudError) -> String? {
    guard entity.userInfo["CloudCoreCacheable"] != nil else { return nil }
    let services = try serviceAttributes(of: entity)
    let names = entity.attributes.filter {
      $0.type == .binary && !$0.isTransient && !services.contains($0.name)
    }.map(\.name)
    guard names.count == 1 else {
      throw CloudError(
        .unsupported,
        message:
          "\(entity.name) says CloudCoreCacheable in its user info, and has \(names.isEmpty ? "no" : "several") binary "
          + "attributes. Take that out, and say cloud.asset = onDemand of those whose bytes are files."
      )
    }
    return names[0]
  }
}
