import SyncCore

/// The objects of a relationship whose value is no plain list: members of an object, objects inside
/// the elements of a list.
extension Stager {
  /// Calls a closure with each value that the way of a relationship leads to, and with the key that
  /// it has in an object of objects; nil stands for an element in which the way ends early.
  func forEachElement(
    of token: Int, _ link: StagingLink, _ source: ItemSource,
    _ body: (Int?, MemberKey?) throws -> Void
  ) throws {
    guard !link.rule.elements.isEmpty else {
      var element = token + 1
      for index in 0..<Int(source.tokens[token].word) {
        defer { element = Int(source.tokens[element].next) }
        path.setIndex(index)
        try body(element, nil)
      }
      return path.setIndex(-1)
    }
    try follow(link.rule.elements[...], from: token, "", key: nil, link, source, body)
  }

  private func follow(
    _ steps: ArraySlice<JSONPath.Step>, from token: Int, _ place: String, key: MemberKey?,
    _ link: StagingLink, _ source: ItemSource, _ body: (Int?, MemberKey?) throws -> Void
  ) throws {
    let kind = source.tokens[token].kind
    let rest = steps.dropFirst()
    switch (steps.first, kind) {
    case (.each, .array),
      (nil, .array) where !place.isEmpty:
      var element = token + 1
      for index in 0..<Int(source.tokens[token].word) {
        defer { element = Int(source.tokens[element].next) }
        try follow(rest, from: element, "\(place)[\(index)]", key: nil, link, source, body)
      }
    case (.each, .object):
      var member = token + 1
      for _ in 0..<Int(source.tokens[token].word) {
        defer { member = Int(source.tokens[member + 1].next) }
        let name = JSONPath.text(ofKey: source.tape.string(member))
        try follow(
          rest, from: member + 1, place + name,
          key: MemberKey(tape: source.tape, token: member, slot: link.rule.memberSlot), link,
          source,
          body)
      }
    case (nil, _):
      path.setElement(place)
      try body(token, key)
    case (let step?, _):
      let next = source.tape.value(at: JSONPath([step]), from: token)
      let place = place + JSONPath([step]).description.dropFirst()
      guard let next else {
        path.setElement(place)
        return try body(nil, nil)
      }
      try follow(rest, from: next, place, key: key, link, source, body)
    }
  }
}

/// Members that stand in one list more than once: an object is in a list once, so that something of
/// the payload is lost.
extension Stager {
  /// Notes targets that the latest list names twice. Most lists are short, or name new keys, which
  /// are numbered as they come.
  @inline(__always)
  func noteRepeats(from first: Int, _ link: StagingLink, of owner: Int32, in batch: Batch) {
    let count = targets.count - first
    guard count > 1 else { return }
    if count <= 8 {
      for index in first + 1..<targets.count {
        for earlier in first..<index where targets[earlier] == targets[index] {
          return noteRepeat(targets[index], link, of: owner, in: batch)
        }
      }
    } else {
      for index in first + 1..<targets.count {
        let (one, next) = (targets[index - 1], targets[index])
        if next >= 0 ? next <= one : next >= one {
          return noteRepeat(from: first, link, of: owner, in: batch)
        }
      }
    }
  }

  private func noteRepeat(from first: Int, _ link: StagingLink, of owner: Int32, in batch: Batch) {
    var seen = Set<Int32>()
    for target in targets[first...] where !seen.insert(target).inserted {
      return noteRepeat(target, link, of: owner, in: batch)
    }
  }

  private func noteRepeat(
    _ target: Int32, _ link: StagingLink, of owner: Int32, in batch: Batch
  ) {
    let destination = batches[link.rule.node]
    let cells =
      target >= 0 ? UnsafePointer(destination.block[target]) : destination.references[~target]
    let key = batch.key(batch.cells(owner))
    report.note(
      .repeatedItem, batch.entity, property: link.rule.name, key: key.description,
      path: path.description,
      message: """
        “\(link.rule.name)” of \(batch.entity.name) \(key) names \(destination.entity.name) \(destination.key(cells)) \
        more than once, and an object is in a list once. If each place counts, make the places objects of their own.
        """)
  }
}
