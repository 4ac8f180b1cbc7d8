public import SyncCore

extension ManagedObjectModel {
  /// Makes a model of managed object classes and their property wrappers.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(User.self, Note.self, Company.self)
  /// ```
  ///
  /// The entity of a class is named as ``ManagedObject/entityName`` says. A class that inherits
  /// another one of the list becomes a subentity; properties of superclasses that are not in the
  /// list become its own. An inverse needs to be named on one side only.
  ///
  /// - Throws: ``ModelError`` for the first thing that is wrong, with entity and property.
  public convenience init(_ classes: ManagedObject.Type...) throws {
    try self.init(classes: classes)
  }

  /// Makes a model of managed object classes and their property wrappers.
  ///
  /// - Throws: ``ModelError`` for the first thing that is wrong, with entity and property.
  public convenience init(classes: [ManagedObject.Type], versionIdentifier: String = "") throws {
    ObjectClassRegistry.register(classes)
    let parents = Dictionary(
      classes.map { ($0.entityName, $0) }, uniquingKeysWith: { first, _ in first })
    var drafts = classes.map { type in
      var draft = ClassDrafting(classes).draft(of: type)
      // Classes inherit the settings of their superclass.
      let parent = draft.superentityName.flatMap { parents[$0] }
      if type.renamedFrom != parent?.renamedFrom { draft.renamingIdentifier = type.renamedFrom }
      if type.entityUserInfo != parent?.entityUserInfo { draft.userInfo = type.entityUserInfo }
      return draft
    }
    ClassDrafting.completeInverses(&drafts)
    try self.init(drafts, versionIdentifier: versionIdentifier)
  }
}

/// Turns the declarations of classes' wrappers into drafts of entities.
private struct ClassDrafting {
  private let listed: [ObjectIdentifier: ManagedObject.Type]

  init(_ classes: [ManagedObject.Type]) {
    listed = Dictionary(
      classes.map { (ObjectIdentifier($0), $0) }, uniquingKeysWith: { first, _ in first })
  }

  func draft(of type: ManagedObject.Type) -> EntityDraft {
    let levels = ownLevels(of: type)
    var constraints = type.uniquenessConstraints
    var properties: [PropertyDraft] = []
    for property in ObjectClassRegistry.wrappers(of: type).properties
    where levels.own.contains(property.declaringClass) {
      switch property.declaration.content {
      case .attribute(var draft):
        draft.name = property.name
        properties.append(.attribute(draft))
      case .relationship(var draft):
        draft.name = property.name
        properties.append(.relationship(draft))
      }
      if property.declaration.isUnique, !constraints.contains([property.name]) {
        constraints.append([property.name])
      }
    }
    var indexes = type.fetchIndexes
    if let parent = levels.parent {
      constraints.removeAll { parent.uniquenessConstraints.contains($0) }
      indexes.removeAll { parent.fetchIndexes.contains($0) }
    }
    return EntityDraft(
      type.entityName, properties, superentity: levels.parent?.entityName,
      isAbstract: type.isAbstractEntity && levels.parent?.isAbstractEntity != true,
      className: String(reflecting: type),
      uniquenessConstraints: constraints, indexes: indexes)
  }

  /// The class and its superclasses up to the next one in the list, and that one.
  private func ownLevels(
    of type: ManagedObject.Type
  ) -> (own: Set<ObjectIdentifier>, parent: ManagedObject.Type?) {
    var own: Set<ObjectIdentifier> = []
    var mirror: Mirror? = Mirror(reflecting: ObjectClassRegistry.prototype(of: type).prototype)
    while let current = mirror, let level = current.subjectType as? ManagedObject.Type,
      level != ManagedObject.self
    {
      if level != type, let parent = listed[ObjectIdentifier(level)] { return (own, parent) }
      own.insert(ObjectIdentifier(level))
      mirror = current.superclassMirror
    }
    return (own, nil)
  }

  /// Where one side names its inverse and the other is silent, the other side gets the name.
  static func completeInverses(_ drafts: inout [EntityDraft]) {
    for source in drafts {
      for case .relationship(let relationship) in source.properties.map(\.content) {
        guard let inverse = relationship.inverseName,
          let target = drafts.firstIndex(where: { $0.name == relationship.destinationName }),
          let position = drafts[target].properties.firstIndex(where: { $0.name == inverse }),
          case .relationship(var other) = drafts[target].properties[position].content,
          other.inverseName == nil
        else { continue }
        other.inverseName = relationship.name
        drafts[target].properties[position] = .relationship(other)
      }
    }
  }
}
