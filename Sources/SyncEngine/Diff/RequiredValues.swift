import SyncCore

/// Finds objects that would be stored without a value they require, before anything is written.
struct RequiredValues {
  private let batches: [Batch]

  init(_ matcher: Matcher) {
    batches = matcher.batches
  }

  /// The items at the top of the payload that such objects stand in: why, by the item's address.
  func offenders(of root: Int) -> [UInt: String] {
    var result: [UInt: String] = [:]
    for batch in batches {
      let required = batch.node.required + batch.node.requiredToOne
      guard !required.isEmpty else { continue }
      for index in batch.occurrences.indices {
        guard let slot = missingSlot(index, in: batch, among: required),
          let address = item(of: Int32(index), in: batch, root: root)
        else { continue }
        let name = batch.entity.properties[slot].name
        let key = batch.key(batch.block[index])
        result[address] =
          "“\(name)” of \(batch.entity.name) \(key) is required and would be empty."
      }
    }
    return result
  }

  private func missingSlot(_ index: Int, in batch: Batch, among required: [Int]) -> Int? {
    let occurrence = batch.occurrences[index]
    guard !occurrence.flags.contains(.folded) else { return nil }
    let cells = batch.block[index]
    if occurrence.flags.contains(.inserted) {
      return required.first { slot in
        cells[slot].isAbsent
          ? !batch.node.defaults.contains { $0.slot == slot } : cells[slot].isEmpty
      }
    }
    guard occurrence.stored >= 0, occurrence.link >= 0, occurrence.flags.contains(.active) else {
      return nil
    }
    let changed = batch.differences[Int(occurrence.link)]
    return required.first { changed.contains($0) && cells[$0].isEmpty }
  }

  /// Address of the item at the top that an object stands in, or nil when it is none's.
  private func item(of occurrence: Int32, in batch: Batch, root: Int) -> UInt? {
    var (batch, occurrence) = (batch, occurrence)
    while !batch.occurrences[Int(occurrence)].flags.contains(.root) {
      let mention = batch.occurrences[Int(occurrence)]
      guard mention.owner >= 0 else { return nil }
      batch = batches[Int(mention.ownerBatch)]
      occurrence = batch.representative(mention.owner)
    }
    let source = batch.occurrences[Int(occurrence)].source
    let isLeftOut = batch.occurrences[Int(occurrence)].flags.contains(.leftOut)
    return source != 0 && batch.number == root && !isLeftOut ? source : nil
  }
}
