import SyncCore

/// Which class stands for which entity of one stack's model.
///
/// Found when the stack is made (named classes, `managedObjectClassName`), completed when a program
/// mentions a class for an entity that has none.
final class ObjectClasses: Sendable {
  let model: ManagedObjectModel
  let shapes: [EntityShape]

  /// Relationships that no other one leads back from, by the root entity of their destination.
  let oneWayRelationships: [Int: [RelationshipShape]]
  private let state: Locked<State>

  private struct State {
    /// By entity.
    var bindings: [ClassBinding]

    /// How often that changed.
    var generation = 0
  }

  /// - Throws: ``GraphError`` when a class does not fit its entity, or two stand for one.
  init(_ model: ManagedObjectModel, classes: [ManagedObject.Type]) throws {
    self.model = model
    shapes = model.entities.map(EntityShape.init)
    oneWayRelationships = Dictionary(
      grouping: shapes.flatMap { shape in
        shape.relationships.filter {
          $0.inverseSlot == nil && $0.description.declaringIndex == shape.entity.index
        }
      }, by: \.destinationRoot)
    ObjectClassRegistry.register(classes)
    var named: [Int: ManagedObject.Type] = [:]
    for type in classes {
      guard let entity = model.entity(named: type.entityName) else {
        throw ObjectClasses.unknownEntity(of: type, in: model)
      }
      if let other = named.updateValue(type, forKey: entity.index), other != type {
        throw GraphError(
          .classMismatch, entity: entity.name,
          message:
            "Both \(other) and \(type) stand for the entity \(entity.name). Name one of them.")
      }
    }
    var result: [ClassBinding?] = Array(repeating: nil, count: shapes.count)
    // Superentities first, so that an entity without class takes its superentity's.
    for entity in model.entities.sorted(on: \.depth) {
      let shape = shapes[entity.index]
      let type =
        named[entity.index]
        ?? entity.managedObjectClassName.flatMap(ObjectClassRegistry.type(named:))
      if let type {
        result[entity.index] = try ClassBinding(type, standingFor: shape, isNamed: true)
      } else {
        let inherited = entity.superentity.flatMap { result[$0.index]?.type } ?? ManagedObject.self
        result[entity.index] = try ClassBinding(inherited, standingFor: shape, isNamed: false)
      }
    }
    state = Locked(State(bindings: result.compactMap { $0 }))
  }

  /// The class of each entity by index.
  var current: [ClassBinding] { state.withLock { $0.bindings } }

  /// The types that the classes declare for attributes. A row that is found by an entity may be of
  /// a subentity with a class of its own, so the types of all of them count.
  var declaredTypes: DeclaredTypes {
    DeclaredTypes {
      self.state.withLock { $0.generation }
    } types: { entity in
      let bindings = self.current
      var result: [Int: [DeclaredType]] = [:]
      for member in entity.familyEntities {
        for (slot, type) in bindings[member.index].declaredTypes
        where result[slot]?.contains(where: { $0.name == type.name }) != true {
          result[slot, default: []].append(type)
        }
      }
      return result
    }
  }

  /// The class of the entity that a class stands for; from now on it is that class when none was
  /// named before.
  ///
  /// - Throws: ``GraphError`` when the model has no such entity, the class does not fit it, or
  ///   another class stands for it.
  func bind(_ type: ManagedObject.Type) throws -> ClassBinding {
    guard let entity = model.entity(named: type.entityName) else {
      throw ObjectClasses.unknownEntity(of: type, in: model)
    }
    let known = state.withLock { $0.bindings[entity.index] }
    if known.type == type { return known }
    if known.isNamed {
      // A subclass stands for the entity: its objects are of the class asked for, too.
      if isSubclass(known.type, of: type) { return known }
      throw GraphError(
        .classMismatch, entity: entity.name,
        message: """
          The class \(known.type) stands for the entity \(entity.name), not \(type). Use \
          \(known.type), or name \(type) when you make the stack: DataStack(…, classes: [\(type).self]).
          """)
    }
    ObjectClassRegistry.register([type])
    let binding = try ClassBinding(type, standingFor: shapes[entity.index], isNamed: true)
    let below = try entity.familyEntities.dropFirst().map {
      try ClassBinding(type, standingFor: shapes[$0.index], isNamed: false)
    }
    return state.withLock { state in
      guard !state.bindings[entity.index].isNamed else { return state.bindings[entity.index] }
      state.bindings[entity.index] = binding
      for inherited in below where !state.bindings[inherited.shape.entity.index].isNamed {
        state.bindings[inherited.shape.entity.index] = inherited
      }
      state.generation += 1
      return binding
    }
  }

  private func isSubclass(_ type: ManagedObject.Type, of other: ManagedObject.Type) -> Bool {
    var level: Mirror? = Mirror(reflecting: ObjectClassRegistry.prototype(of: type).prototype)
    while let current = level {
      if current.subjectType == other { return true }
      level = current.superclassMirror
    }
    return false
  }

  private static func unknownEntity(
    of type: ManagedObject.Type, in model: ManagedObjectModel
  ) -> GraphError {
    GraphError(
      .classMismatch, entity: type.entityName,
      message: """
        The model has no entity “\(type.entityName)” for the class \(type). It has \
        \(model.entities.map(\.name).joined(separator: ", ")). Name the class like the entity, or \
        override entityName.
        """)
  }
}

extension EntityDescription {
  /// How many entities lie above it.
  fileprivate var depth: Int { superentity.map { $0.depth + 1 } ?? 0 }
}
