import SyncCore

/// Objects that the payload mentions under an entity and under a subentity of it. They are one object, of which
/// two or more batches speak: that of the deepest entity writes it, with what all say. Of each property the later
/// mention counts.
extension LinkPlanner {
  /// What one batch says of such an object.
  struct TwinMention {
    let batch: Batch
    let occurrence: Int32
    /// When it gave each slot last.
    var orders: [Int: UInt32] = [:]
    /// Where the to-one relationships lead as far as the object itself says so.
    var ownWords: [Int: Cell] = [:]
  }

  /// The mentions of one object, first the one that is written.
  typealias Twins = [TwinMention]

  // MARK: - Finding

  /// Finds the objects that several batches speak of.
  private func findTwins() -> [Twins] {
    var result: [Twins] = []
    var numbers: [TwinWriters.Found: Int] = [:]
    for batch in batches where !batch.entity.subentities.isEmpty && batch.stored.count > 0 {
      var writers = TwinWriters(batch, among: batches)
      for (index, occurrence) in batch.occurrences.enumerated()
      where occurrence.stored >= 0 && !occurrence.flags.contains(.folded) {
        guard let writer = writers.find(occurrence) else { continue }
        batch.occurrences[index].flags.insert(.twin)
        let mention = TwinMention(batch: batch, occurrence: Int32(index))
        if let number = numbers[writer] {
          result[number].append(mention)
        } else {
          numbers[writer] = result.count
          let written = TwinMention(
            batch: batches[writer.batch], occurrence: writer.occurrence)
          result.append([written, mention])
        }
      }
    }
    return result
  }

  /// A mention of ``twins``.
  private struct TwinPlace {
    let object: Int
    let position: Int
  }

  /// The mentions of a batch, by occurrence.
  private func places() -> [[Int32: TwinPlace]] {
    var result: [[Int32: TwinPlace]] = batches.map { _ in [:] }
    for (object, twins) in twins.enumerated() {
      for (position, twin) in twins.enumerated() {
        result[twin.batch.number][twin.occurrence] = TwinPlace(object: object, position: position)
      }
    }
    return result
  }

  /// Notes when attributes were given.
  private func noteOrders(_ places: [[Int32: TwinPlace]]) {
    for batch in batches where !places[batch.number].isEmpty {
      for (index, occurrence) in batch.occurrences.enumerated()
      where !occurrence.flags.contains(.muted) {
        guard let place = places[batch.number][batch.representative(Int32(index))] else { continue }
        for slot in batch.node.attributeSlots where !batch.block[index][slot].isAbsent {
          let order = batch.order(of: slot, Int32(index))
          let known = twins[place.object][place.position].orders[slot] ?? 0
          twins[place.object][place.position].orders[slot] = max(known, order)
        }
      }
    }
  }

  /// Decides which of several mentions counts where more than one gives a relationship, before anything is linked.
  func muteTwins() {
    twins = findTwins()
    guard !twins.isEmpty else { return }
    let places = places()
    noteOrders(places)
    /// What was said of a relationship last.
    struct Word {
      let key: RuleKey
      let occurrence: Int32
      let order: UInt32
    }
    var words: [[Int: Word]] = twins.map { _ in [:] }
    for batch in batches where !places[batch.number].isEmpty {
      for (rule, relationship) in batch.node.relationships.enumerated() {
        let mentions = batch.mentions[rule]
        var last: [Int32: UInt32] = [:]
        for (mention, owner) in mentions.owners.enumerated()
        where !batch.occurrences[Int(owner)].flags.contains(.muted) {
          let object = batch.representative(owner)
          // What may not write the object says nothing.
          guard batch.occurrences[Int(object)].flags.contains(.active) else { continue }
          if places[batch.number][object] != nil { last[object] = mentions.orders[mention] }
        }
        for (occurrence, order) in last {
          guard let object = places[batch.number][occurrence]?.object else { continue }
          let key = RuleKey(batch: batch.number, rule: rule)
          let word = Word(key: key, occurrence: occurrence, order: order)
          guard let other = words[object][relationship.slot] else {
            words[object][relationship.slot] = word
            continue
          }
          let loser = other.order < order ? other : word
          if other.order < order { words[object][relationship.slot] = word }
          outspoken[loser.key, default: []].insert(loser.occurrence)
        }
      }
    }
  }
}
