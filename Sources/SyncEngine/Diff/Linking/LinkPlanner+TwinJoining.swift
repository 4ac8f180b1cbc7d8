import SyncCore

/// What several batches say of one object becomes what one of them writes.
extension LinkPlanner {
  /// Gives all mentions the to-one relationships that one of them says itself.
  func shareOwnWords() {
    for (object, mentions) in twins.enumerated() {
      for (position, mention) in mentions.enumerated().dropFirst() {
        for slot in mention.batch.node.toOneSlots {
          var word = Cell.absent
          for other in mentions where slot < other.batch.block.width && word.isAbsent {
            word = other.batch.block[Int(other.occurrence)][slot]
          }
          twins[object][position].ownWords[slot] = word
        }
      }
      for mention in twins[object].dropFirst() {
        for (slot, word) in mention.ownWords {
          mention.batch.block[Int(mention.occurrence)][slot] = word
          mentions[0].batch.block[Int(mentions[0].occurrence)][slot] = word
        }
      }
    }
  }

  /// Gives the mention that is written what the others say, and leaves those nothing to write.
  func joinTwins() {
    joinReferences()
    for mentions in twins {
      let written = mentions[0].batch.block[Int(mentions[0].occurrence)]
      for mention in mentions.dropFirst() {
        let own = mention.batch.block[Int(mention.occurrence)]
        for (slot, word) in mention.ownWords {
          // A list is stronger than what the object says itself.
          if !own[slot].isIdentical(to: word) { written[slot] = own[slot] }
          own[slot] = .absent
        }
      }
      joinAttributes(mentions)
    }
  }

  /// Lists that name objects by keys write them under the superentity: so does nobody where the payload describes
  /// the object under the subentity.
  private func joinReferences() {
    for batch in batches where !batch.entity.subentities.isEmpty && batch.stored.count > 0 {
      var writers = TwinWriters(batch, among: batches)
      for (index, occurrence) in batch.occurrences.enumerated()
      where occurrence.flags.contains(.referenceOnly) && occurrence.stored >= 0 {
        guard let writer = writers.find(occurrence) else { continue }
        let own = batch.block[index]
        let written = batches[writer.batch].block[Int(writer.occurrence)]
        for slot in batch.node.toOneSlots where !own[slot].isAbsent {
          // Who is only not listed any more may say itself where it belongs.
          if !own[slot].isEmpty || written[slot].isAbsent { written[slot] = own[slot] }
          own[slot] = .absent
        }
      }
    }
  }

  private func joinAttributes(_ mentions: Twins) {
    let (writer, index) = (mentions[0].batch, Int(mentions[0].occurrence))
    let written = writer.block[index]
    var orders = mentions[0].orders
    let link = writer.occurrences[index].link
    var difference = link >= 0 ? writer.differences[Int(link)] : SlotSet()
    for mention in mentions.dropFirst() {
      let occurrence = mention.batch.occurrences[Int(mention.occurrence)]
      let own = mention.batch.block[Int(mention.occurrence)]
      var ownDifference = SlotSet()
      if occurrence.link >= 0 {
        ownDifference = mention.batch.differences[Int(occurrence.link)]
        mention.batch.differences[Int(occurrence.link)] = []
      }
      guard occurrence.flags.contains(.active) else { continue }
      if !writer.occurrences[index].flags.contains(.active) {
        // What may not write the object says nothing.
        for slot in writer.node.attributeSlots where !writer.node.identity.contains(slot) {
          written[slot] = .absent
          difference.remove(slot)
        }
        orders = [:]
        writer.occurrences[index].flags.insert(.active)
      }
      for slot in mention.batch.node.attributeSlots where !own[slot].isAbsent {
        let order = mention.orders[slot] ?? 0
        guard written[slot].isAbsent || order > orders[slot] ?? 0 else { continue }
        written[slot] = own[slot]
        orders[slot] = order
        if ownDifference.contains(slot) { difference.insert(slot) } else { difference.remove(slot) }
      }
    }
    if link >= 0 {
      writer.differences[Int(link)] = difference
    } else {
      writer.noteDifference(difference, of: mentions[0].occurrence)
    }
  }
}
