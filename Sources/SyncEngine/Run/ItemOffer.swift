import SyncCore

/// Offers items to a delegate that are about to become new objects.
struct ItemOffer {
  let willInsert: SyncHooks.WillInsert
  let matcher: Matcher

  /// Asks about every new object that was not offered yet.
  ///
  /// - Returns: Whether anything was rewritten, so that the payload has to be staged again.
  func rewrite(_ replacements: inout ItemReplacements) throws -> Bool {
    var isRewritten = false
    var end: UInt = 0
    let tape = JSONTape()
    for item in newItems(below: replacements.parent) where item.address >= end {
      guard !replacements.asked.contains(item.address),
        let text = replacements.text(at: item.address)
      else { continue }
      replacements.asked.insert(item.address)
      var scanner = JSONScanner(text)
      try scanner.scanValue(into: tape)
      let original = tape.value(0)
      let answer = try willInsert(original, item.entity, item.parent)
      try matcher.control.checkpoint()
      guard answer != original else { continue }
      isRewritten = true
      end = item.address + UInt(scanner.position)
      try replacements.replace(item.address, by: answer)
    }
    return isRewritten
  }

  private struct NewItem {
    let address: UInt
    let entity: EntityDescription
    let parent: ManagedObjectID?
  }

  /// New objects in the order of the payload: containers come before their contents.
  private func newItems(below parent: ManagedObjectID?) -> [NewItem] {
    var items: [NewItem] = []
    for batch in matcher.batches {
      guard let sources = batch.staged.origins.addresses else { continue }
      for (occurrence, source) in zip(batch.matches, sources)
      where source != 0 && occurrence.flags.contains(.inserted)
        && !occurrence.flags.contains(.folded)
      {
        items.append(
          NewItem(
            address: source, entity: batch.entity,
            parent: matcher.owner(of: occurrence)
              ?? (occurrence.traits.contains(.root) ? parent : nil)))
      }
    }
    return items.sorted(on: \.address)
  }
}
