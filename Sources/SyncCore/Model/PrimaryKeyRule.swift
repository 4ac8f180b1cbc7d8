/// Which attribute is the primary key: the one annotated as such, else `id`, else `remoteID`.
enum PrimaryKeyRule {
  static func slot(in record: EntityRecord) throws(ModelError) -> Int? {
    let attributes = record.properties.compactMap(\.attribute)
    let annotated = attributes.filter { ModelAnnotation.isPrimaryKey.isOn(in: $0.userInfo) }
    guard let key = annotated.first else {
      return ["id", "remoteID"].lazy.compactMap { name in
        attributes.first { $0.name == name && isUsable($0) }?.slot
      }.first
    }
    guard annotated.count == 1 else {
      let names = annotated.map(\.name).joined(separator: ", ")
      throw ModelError(
        .severalPrimaryKeys, entity: record.name, property: annotated.last?.name,
        message: """
          \(record.name) has several primary keys: \(names). Leave sync.isPrimaryKey at one of \
          them, or name them in the user info sync.identifiers of the entity instead.
          """)
    }
    guard isUsable(key) else {
      let reason = key.isTransient ? "transient" : "transformable"
      throw ModelError(
        .invalidPrimaryKey, entity: record.name, property: key.name,
        message: """
          \(record.name).\(key.name) is the primary key but \(reason), so it cannot be looked up. \
          Choose an attribute that is stored as it is.
          """)
    }
    return key.slot
  }

  private static func isUsable(_ attribute: AttributeDescription) -> Bool {
    !attribute.isTransient && attribute.type != .transformable
  }
}
