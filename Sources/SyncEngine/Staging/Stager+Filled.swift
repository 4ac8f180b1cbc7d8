import SyncCore

/// The steps after an item has filled its cells: missing values, defaults, and hooks of serializers
/// that see them.
extension Stager {
  /// Fills attributes that the item lacks, where the mapping has a value for them.
  func fillMissing(_ cells: UnsafeMutablePointer<Cell>, _ node: PlanNode) throws {
    for rule in node.attributes where cells[rule.slot].isAbsent {
      switch rule.missing {
      case .keep: break
      case .clear:
        let empty = node.defaultsOfRequired.first { $0.slot == rule.slot }
        cells[rule.slot] = empty.map { arena.cell($0.value, as: rule.type) } ?? .null
      case .fail:
        try refuse(
          SyncError(
            .requiredValueMissing, entity: node.entity.name, property: rule.name,
            path: path.description,
            message: "The item has no “\(rule.remoteKey)”, which “\(rule.name)” requires."))
      }
    }
  }

  /// Gives required attributes that the item empties the model's default. Required attributes
  /// without a default are found when everything is matched.
  func takeDefaults(_ cells: UnsafeMutablePointer<Cell>, _ node: StagingNode) {
    for (slot, value) in node.plan.defaultsOfRequired {
      guard case .null = cells[slot].kind else { continue }
      let property = node.plan.entity.properties[slot]
      cells[slot] = arena.cell(value, as: property.attribute?.type)
      let rule = node.plan.attributeRule(forSlot: slot).map { node.plan.attributes[$0] }
      report.note(
        .refusedConversion, node.plan.entity, property: property.name,
        path: path.description + (rule?.path ?? ""),
        message: """
          “\(property.name)” of “\(node.plan.entity.name)” is required and the item empties it: it takes the \
          model's default, \(value).
          """)
    }
  }

  /// Shows the values of a freshly filled row to a hook, and takes over the values that it sets.
  func showFilled(
    _ row: Int, to hook: FillHook, _ token: Int, of source: ItemSource, node: StagingNode
  ) throws {
    let cells = node.batch.block[row]
    let entity = node.batch.entity
    var values: [Value?] = Array(repeating: nil, count: node.plan.columns.count)
    for slot in node.plan.columns.attributes where !cells[slot].isAbsent {
      values[slot] = cells[slot].value(as: entity.properties[slot].attribute?.type)
    }
    var object = FilledObject(entity, values: values)
    do {
      try hook(&object, source.tape.value(token))
      for slot in object.changes {
        cells[slot] = try cell(of: object[slot] ?? .null, at: slot, node: node)
      }
    } catch let error as MappingError {
      try refuseFilled(.unknownProperty, error.property, error.message, node)
    } catch let error as SyncError {
      try refuseFilled(error.code, error.property, error.message, node)
    } catch {
      try refuseFilled(
        .invalidItem, nil, "The hook didFill of “\(entity.name)” refused the item: \(error).", node)
    }
  }

  private func refuseFilled(
    _ code: SyncError.Code, _ property: String?, _ message: String, _ node: StagingNode
  ) throws {
    try refuse(
      SyncError(
        code, entity: node.batch.entity.name, property: property, path: path.description,
        message: message))
  }

  private func cell(of value: Value, at slot: Int, node: StagingNode) throws -> Cell {
    guard let attribute = node.batch.entity.properties[slot].attribute else { return .absent }
    let converter =
      node.plan.attributeRule(forSlot: slot).map { node.plan.attributes[$0].converter }
      ?? ValueConverter(
        attribute.type, form: .natural, accepts: .any, checksWidth: true)
    var conversion = converter.cell(for: value, arena: arena)
    if case .cell(let cell) = conversion,
      let refusal = converter.check?.refusal(of: cell.value(as: attribute.type))
    {
      conversion = .mismatch(.refused(refusal))
    }
    switch conversion {
    case .cell(let cell): return cell
    case .mismatch(let reason):
      throw SyncError(
        SyncError.Code(reason), entity: node.batch.entity.name, property: attribute.name,
        message: """
          “\(attribute.name)” of “\(node.batch.entity.name)”, as set by didFill: \
          \(reason.message(for: attribute.type)).
          """)
    }
  }
}
