public import SyncCore
public import SyncGraph

extension DataStack {
  /// Writes rules for properties of an entity that the conventions do not fit: one odd key, without
  /// touching the model. They count for every sync, export and call of this stack that begins
  /// afterwards, in all contexts, for entities that inherit from the entity too, and wherever its
  /// objects are nested.
  ///
  /// ```swift
  /// try stack.mapping(for: User.self) { $0["joinedAt"] = .unixTime(["meta", "joined"]) }
  /// ```
  ///
  /// A rule for a relationship has its objects read by a serializer, which takes the place of the
  /// conventions below it:
  ///
  /// ```swift
  /// try stack.mapping(for: User.self) { $0["notes"] = .toMany(["meta", "notes"]) { NoteSerializer() } }
  /// ```
  ///
  /// A rule takes the place of every key that the conventions would look at. Safe to call from any
  /// thread. A key that is missing, a value that is null and one that cannot be converted mean the
  /// same as by convention, and values of other kinds are converted where nothing is lost, unless
  /// the rule says otherwise. Calling it again goes on with the rules that are there; nil takes one
  /// back.
  ///
  /// - Parameter change: Changes the rules of the entity. It may be called more than once when
  ///   another thread writes rules at the same time.
  /// - Throws: ``MappingError`` when a rule names no property of the entity or can never fill it,
  ///   and nothing has changed; `ModelError` when the model has no such entity; errors of the
  ///   closure.
  public func mapping(
    forEntityNamed name: String, _ change: (inout Mapping) throws -> Void
  ) throws {
    let entity = try model.requireEntity(named: name)
    try writtenRules.replace { rules in
      var mapping = Mapping(rules[entity])
      try change(&mapping)
      return try rules.replacing(mapping.byProperty(of: entity), of: entity)
    }
  }

  /// Writes rules for attributes of the entity of a class. See ``mapping(forEntityNamed:_:)``.
  public func mapping<Object: ManagedObject>(
    for type: Object.Type, _ change: (inout Mapping) throws -> Void
  ) throws {
    try mapping(forEntityNamed: type.entityName, change)
  }

  /// Writes rules for attributes as a file gives them: an object per entity, in it a rule per
  /// attribute.
  ///
  /// ```json
  /// { "User": { "joinedAt": { "unixTime": ["meta", "joined"] }, "email": { "string": "contact.email" } } }
  /// ```
  ///
  /// Rules of other attributes stay. See ``mapping(forEntityNamed:_:)``, and `Rule.init(json:)` for
  /// a rule.
  ///
  /// - Throws: ``MappingError``, which names entity and attribute; `ModelError` when the model has
  ///   no such entity; ``RuleError`` when the JSON is no object of objects. Nothing has changed
  ///   then.
  public func addMapping(_ json: JSONValue) throws {
    try writtenRules.add(json, of: model)
  }
}

extension DataStack {
  /// The mapping plans of the stack.
  package var mappingPlans: MappingPlanCache {
    attachment {
      MappingPlanCache(
        transformers: transformers, declaredTypes: declaredTypes, registry: writtenRules)
    }
  }

  /// The rules that were written for entities of the stack.
  var writtenRules: RuleRegistry { sharedAttachment { RuleRegistry() } }
}

extension ManagedObjectContext {
  /// The mapping plans of the context's store.
  package var mappingPlans: MappingPlanCache {
    attachment {
      MappingPlanCache(
        transformers: transformers, declaredTypes: declaredTypes,
        registry: sharedAttachment { RuleRegistry() })
    }
  }
}
