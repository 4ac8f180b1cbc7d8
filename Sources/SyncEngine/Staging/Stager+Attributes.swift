import SyncCore

/// Filling of cells from the members of an object.
extension Stager {
  /// Fills cells from the members of an object, and collects the values under relationship keys.
  func fill(
    _ cells: UnsafeMutablePointer<Cell>, from token: Int, of source: ItemSource, node: StagingNode
  ) throws {
    try fillPresent(cells, from: token, of: source, node: node)
    if node.steps.contains(.missingValues) { try fillMissing(cells, node.plan) }
  }

  /// Fills cells from the values that the item has.
  func fillPresent(
    _ cells: UnsafeMutablePointer<Cell>, from token: Int, of source: ItemSource, node: StagingNode
  ) throws {
    node.scratch.begin()
    if node.table.hasItself {
      for target in node.table.members.itself where target.kind == .attribute {
        try convert(token, of: source, target: target, into: cells, node: node, isShared: false)
      }
    }
    try fill(cells, from: token, of: source, table: node.table, node: node)
    node.fillConstants(cells)
  }

  /// Fills the attribute that the key of an item in an object of objects stands for, unless the
  /// item has a value for it. A key is text, so text of any kind counts.
  func fill(
    _ cells: UnsafeMutablePointer<Cell>, from key: MemberKey, node: StagingNode
  ) throws {
    guard let slot = key.slot ?? node.plan.memberSlot, cells[slot].holdsNothing,
      let number = node.plan.attributeRule(forSlot: slot)
    else { return }
    let rule = node.plan.attributes[number]
    _ = node.scratch.claims(number, 0)
    var conversion = rule.converter.convert(key.token, of: key.tape, arena: arena)
    if case .mismatch(.wrongKind) = conversion {
      conversion = rule.converter.ofAnyKind.convert(key.token, of: key.tape, arena: arena)
    }
    switch conversion {
    case .cell(let cell): cells[slot] = cell
    case .mismatch(let reason): try refuse(reason, rule: rule, node: node.plan, at: rule.path)
    }
  }

  private func fill(
    _ cells: UnsafeMutablePointer<Cell>, from token: Int, of source: ItemSource,
    table: StagingTable, node: StagingNode
  ) throws {
    let tokens = source.tokens
    guard case .object = tokens[token].kind else {
      return try fillFromElements(cells, from: token, of: source, table: table, node: node)
    }
    var previous = -1
    var position = token + 1
    for _ in 0..<Int(truncatingIfNeeded: tokens[token].word) {
      let key: UnsafeRawBufferPointer
      switch tokens[position].kind {
      case .string: key = tokens[position].content
      default: key = source.tape.text(position, arena: arena)
      }
      let value = position + 1
      position = Int(tokens[value].next)
      let number = table.find(key, after: &previous)
      guard number >= 0 else {
        node.scratch.noteUnused(key, below: table.prefix)
        continue
      }
      let entry = table[number]
      switch entry.use {
      case .general:
        try fillInGeneral(cells, number, from: value, of: source, table: table, node: node)
      case .link:
        candidates.append(
          LinkCandidate(
            rule: Int(entry.rule), kind: entry.kind, precedence: entry.precedence, token: value))
      default:
        if !fillInPlace(
          cells, entry, from: tokens[value], of: source.tape, scratch: node.scratch)
        {
          try fillInGeneral(cells, number, from: value, of: source, table: table, node: node)
        }
      }
    }
  }

  /// Converts the usual JSON of the usual types.
  ///
  /// - Returns: False when the value is something else.
  @inline(__always)
  private func fillInPlace(
    _ cells: UnsafeMutablePointer<Cell>, _ entry: StagingTable.Entry, from token: JSONToken,
    of tape: JSONTape, scratch: StagingScratch
  ) -> Bool {
    let cell: Cell
    switch (entry.use, token.kind) {
    case (.text, .string):
      cell = .text(at: token.word, length: Int(token.length))
    case (.integer, .integer):
      cell = .integer(Int64(bitPattern: token.word))
    case (.boolean, .true):
      cell = .integer(1)
    case (.boolean, .false):
      cell = .integer(0)
    case (.date, .string):
      guard let date = DateText.parse(token.content) else { return false }
      cell = .real(date)
    case (.zonedDate, .string):
      guard let date = ZonedDateText.parse(token.content, isStrict: true) else { return false }
      cell = .real(date)
    case (.real, .integer):
      cell = .real(Double(Int64(bitPattern: token.word)))
    case (.real, .number):
      guard let number = NumberText(token.content), case let value = number.double,
        // The general way says which attributes can hold it.
        Float(value).isFinite
      else { return false }
      cell = .real(value)
    case (_, .null):
      cell = .null
    default:
      return false
    }
    if scratch.claims(Int(entry.rule), entry.precedence) { cells[Int(entry.slot)] = cell }
    return true
  }

  /// Steps that are positions in an array.
  private func fillFromElements(
    _ cells: UnsafeMutablePointer<Cell>, from token: Int, of source: ItemSource,
    table: StagingTable, node: StagingNode
  ) throws {
    guard let table = table.positions, case .array = source.tokens[token].kind else { return }
    var position = token + 1
    for index in 0..<Int(source.tokens[token].word) {
      defer { position = Int(source.tokens[position].next) }
      let number = table.members.find(String(index))
      guard number >= 0 else { continue }
      try fillInGeneral(cells, number, from: position, of: source, table: table, node: node)
    }
  }

  /// Fills everything that a key means.
  private func fillInGeneral(
    _ cells: UnsafeMutablePointer<Cell>, _ number: Int, from token: Int, of source: ItemSource,
    table: StagingTable, node: StagingNode
  ) throws {
    let member = table.members.entries[number]
    // An object that says something of a relationship, or below it of other attributes, is theirs.
    let isShared = member.child != nil || member.targets.contains { $0.kind != .attribute }
    for target in member.targets {
      if target.kind == .attribute {
        try convert(
          token, of: source, target: target, into: cells, node: node, isShared: isShared)
      } else {
        candidates.append(
          LinkCandidate(
            rule: target.rule, kind: target.kind, precedence: target.precedence, token: token))
      }
    }
    guard let child = table.children[number] else { return }
    switch source.tokens[token].kind {
    case .object, .array:
      try fill(cells, from: token, of: source, table: child, node: node)
    case .null:
      // Null where an object was expected clears everything that would have been read from it.
      for target in member.descendants {
        let slot = node.plan.attributes[target.rule].slot
        if cells[slot].isAbsent { cells[slot] = .null }
      }
    default:
      if member.targets.isEmpty {
        noteIgnored(
          node.plan, property: member.key,
          "“\(member.key)” is no object, so nothing below it was read.")
      }
    }
  }

  private func convert(
    _ token: Int, of source: ItemSource, target: MemberTarget,
    into cells: UnsafeMutablePointer<Cell>, node: StagingNode, isShared: Bool
  ) throws {
    guard node.scratch.claims(target.rule, target.precedence) else { return }
    let rule = node.plan.attributes[target.rule]
    switch rule.converter.convert(token, of: source.tape, arena: arena) {
    case .cell(let cell):
      cells[rule.slot] = cell
    case .mismatch(.wrongKind(.object)) where isShared:
      break
    case .mismatch where meansNothing(token, of: source, for: rule):
      cells[rule.slot] = .null
    case .mismatch(let reason):
      // Of several spellings the document has one.
      let step = target.precedence == 0 ? rule.path : source.step(to: token)
      try refuse(reason, rule: rule, node: node.plan, at: step)
      if rule.mismatch == .clear { cells[rule.slot] = .null }
    }
  }

  /// Whether the value is an empty text for an attribute of which no text is a value: APIs mean
  /// that there is no value. A rule that refuses unfit values refuses it too.
  private func meansNothing(_ token: Int, of source: ItemSource, for rule: AttributeRule) -> Bool {
    let token = source.tokens[token]
    return token.kind == .string && token.length == 0 && rule.mismatch != .fail
      && rule.converter.accepts.contains(.string) && rule.converter.decoder == nil
  }

  /// - Parameter step: Where the value stands in the item.
  private func refuse(
    _ reason: MismatchReason, rule: AttributeRule, node: PlanNode, at step: String
  ) throws {
    let message = """
      “\(rule.name)” of “\(node.entity.name)”: \(reason.message(for: rule.type)).\(rule.advice(reason))
      """
    if rule.mismatch == .fail {
      return try refuse(
        SyncError(
          SyncError.Code(reason), entity: node.entity.name, property: rule.name,
          path: path.description + step, message: message))
    }
    report.note(
      .refusedConversion, node.entity, property: rule.name,
      path: path.description + step, message: message)
  }

  func noteIgnored(_ node: PlanNode, property: String, _ message: String) {
    report.note(
      .ignoredValue, node.entity, property: property, path: path.description,
      message: message)
  }
}

extension AttributeRule {
  /// Advice where a rule is stricter than it has to be.
  fileprivate func advice(_ reason: MismatchReason) -> String {
    guard case .wrongKind(let found) = reason, case .attribute(let kind)? = written?.content,
      !converter.accepts.contains(found), kind.lossless.contains(found)
    else { return "" }
    return " The rule is strict. Let it be .coercing(.lossless), or the coercion of its policy."
  }
}
