import SyncCore

/// Filling of cells from the members of an object.
extension Stager {
  /// Fills cells from the members of an object, and collects what stands under relationship keys.
  func fill(
    _ cells: UnsafeMutablePointer<Cell>, from token: Int, of source: ItemSource, node number: Int
  ) throws {
    let node = plan.nodes[number]
    let scratch = scratch[number]
    scratch.begin()
    try fill(cells, from: token, of: source, members: node.members, node: node, scratch: scratch)
    guard scratch.hasMissingRules else { return }
    for rule in node.attributes where cells[rule.slot].isAbsent {
      switch rule.missing {
      case .keep: break
      case .clear: cells[rule.slot] = .null
      case .fail:
        throw SyncError(
          .requiredValueMissing, entity: node.entity.name, property: rule.name,
          path: path.description,
          message: "The item has no “\(rule.remoteKey)”, which “\(rule.name)” requires.")
      }
    }
  }

  private func fill(
    _ cells: UnsafeMutablePointer<Cell>, from token: Int, of source: ItemSource,
    members: MemberTable,
    node: PlanNode, scratch: StagingScratch
  ) throws {
    let isArray = source.tape.tokens[token].kind == .array
    var hint = 0
    var position = token + 1
    for index in 0..<Int(source.tape.tokens[token].word) {
      let entry: Int
      if isArray {
        entry = members.find(String(index))
      } else {
        entry = members.find(source.tape.text(position, arena: arena), hint: &hint)
        position += 1
      }
      defer { position = Int(source.tape.tokens[position].next) }
      guard entry >= 0 else {
        if !isArray { scratch.noteUnused(source.tape.text(position - 1, arena: arena)) }
        continue
      }
      let member = members.entries[entry]
      for target in member.targets {
        if target.kind == .attribute {
          try convert(
            position, of: source, target: target, into: cells, node: node, scratch: scratch)
        } else {
          candidates.append(
            LinkCandidate(
              rule: target.rule, kind: target.kind, precedence: target.precedence, token: position))
        }
      }
      guard let child = member.child else { continue }
      switch source.tape.tokens[position].kind {
      case .object, .array:
        try fill(
          cells, from: position, of: source, members: child, node: node, scratch: scratch)
      case .null:
        // Null where an object was expected clears everything that would have been read from it.
        for target in member.descendants {
          let slot = node.attributes[target.rule].slot
          if cells[slot].isAbsent { cells[slot] = .null }
        }
      default:
        if member.targets.isEmpty {
          noteIgnored(
            node, property: member.key,
            "“\(member.key)” is no object, so nothing below it was read.")
        }
      }
    }
  }

  @inline(__always)
  private func convert(
    _ token: Int, of source: ItemSource, target: MemberTarget,
    into cells: UnsafeMutablePointer<Cell>, node: PlanNode, scratch: StagingScratch
  ) throws {
    guard scratch.claims(target) else { return }
    let rule = node.attributes[target.rule]
    switch rule.converter.convert(token, of: source.tape, arena: arena) {
    case .cell(let cell):
      cells[rule.slot] = cell
    case .ignore:
      break
    case .mismatch(let reason):
      try refuse(reason.message(for: rule.type), token: token, of: source, rule: rule, node: node)
      if rule.mismatch == .clear { cells[rule.slot] = .null }
    }
  }

  private func refuse(
    _ reason: String, token: Int, of source: ItemSource, rule: AttributeRule, node: PlanNode
  ) throws {
    let message = "“\(rule.name)” of “\(node.entity.name)”: \(reason)."
    if rule.mismatch == .fail {
      throw SyncError(
        .typeMismatch, entity: node.entity.name, property: rule.name,
        path: path.description + "." + rule.remoteKey.description, message: message)
    }
    report.note(
      .refusedConversion, node.entity, property: rule.name,
      path: path.description + "." + rule.remoteKey.description, message: message)
  }

  func noteIgnored(_ node: PlanNode, property: String, _ message: String) {
    report.note(
      .ignoredValue, node.entity, property: property, path: path.description,
      message: message)
  }
}
