import SyncCore

/// The demands of the model on the objects of one plan node, ready to be checked row by row.
struct NodeChecks {
  /// Slots of attributes that must have a value, and of relationships that must lead somewhere.
  let required: [Int]
  let requiredToOne: [Int]

  /// Those of them that a new object has without being given one.
  let defaulted: SlotSet
  let limits: [(slot: Int, type: AttributeType?, limits: ValueLimits)]

  /// Relationship rules that limit how many members a list may have.
  let lists: [(rule: Int, limits: MemberCountCheck.Limits)]

  /// - Throws: ``SyncError`` when a regular expression of the model is malformed.
  init(_ node: PlanNode) throws {
    required = node.required
    requiredToOne = node.columns.requiredToOne
    lists = node.relationships.enumerated().compactMap { rule, relationship in
      MemberCountCheck.Limits(relationship.relationship).map { (rule, $0) }
    }
    var defaulted = SlotSet()
    for value in node.columns.defaults { defaulted.insert(value.slot) }
    self.defaulted = defaulted
    limits = try node.columns.validated.compactMap { slot in
      guard let attribute = node.entity.properties[slot].attribute else { return nil }
      do {
        return (slot, attribute.type, try ValueLimits(attribute.validation))
      } catch {
        throw SyncError(
          .invalidRequest, entity: node.entity.name, property: attribute.name,
          message: """
            The pattern “\(attribute.validation.regularExpression ?? "")” of “\(attribute.name)” is no \
            regular expression. Mend it in the model.
            """)
      }
    }
  }

  /// Whether every object passes.
  var isEmpty: Bool {
    required.isEmpty && requiredToOne.isEmpty && limits.isEmpty && lists.isEmpty
  }
}
