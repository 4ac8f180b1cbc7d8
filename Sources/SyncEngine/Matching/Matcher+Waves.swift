import SyncCore
import SyncStore

/// The way from one wave to the next: which objects come now, and what has to be read for them.
extension Matcher {
  /// Collects the objects below the current wave, and reads what has to be known of their owners'
  /// stored members.
  func openNextWave() throws {
    var next: [[Int32]] = batches.map { _ in [] }
    var owners: [MemberLoad: [Int64]] = [:]
    var linked: [Int: [Int64]] = [:]
    for batch in batches {
      for rule in batch.node.relationships.indices where batch.mentions[rule].count > 0 {
        try control.checkpoint()
        try readSharedMembers(rule, of: batch)
        try collect(rule, of: batch, into: &next, owners: &owners, linked: &linked)
      }
    }
    for batch in batches {
      for occurrence in waves[batch.number] {
        batch.occurrences[occurrence].flags.remove(.current)
      }
    }
    for (load, rows) in owners {
      try loadMembers(of: rows, column: load.slot, in: batches[load.batch])
    }
    for (number, rows) in linked { try loadRows(rows, in: batches[number]) }
    for number in next.indices { Self.order(&next[number]) }
    waves = next
  }

  /// Puts objects into the order of the payload, where several relationships lead to them: who of several is first
  /// does not depend on the order of the model.
  private static func order(_ wave: inout [Int32]) {
    if zip(wave, wave.dropFirst()).contains(where: >) { wave.sort() }
  }

  /// Whether a list is that of a given parent of which other parts of the payload have more: who leaves it is
  /// decided at the end, so that no part has to read all of it.
  private func goesOn(_ rule: Int, of batch: MatchedBatch, _ owner: Match) -> Bool {
    guard hasParts, let rootOwner = part.rootOwner, rootOwner.batch == batch.number,
      rootOwner.rule == rule
    else { return false }
    return owner.row == batch.occurrences[batch.representative(rootOwner.owner)].row
  }

  /// Reads who is in the lists of the current wave's owners, where several stored objects have one key.
  private func readSharedMembers(_ rule: Int, of batch: MatchedBatch) throws {
    let relationship = batch.node.relationships[rule]
    guard relationship.kind == .manyToMany,
      !batches[relationship.node].contested.isEmpty
    else { return }
    let mentions = batch.mentions[rule]
    let owners = (0..<mentions.count).lazy.map { batch.occurrences[mentions.owners[$0]] }
      .filter { $0.flags.contains(.current) && $0.stored >= 0 }.map(\.row)
    guard !owners.isEmpty else { return }
    let list = KeyObjects.List(batch: Int16(batch.number), rule: Int16(rule))
    let members = try transaction.members(
      of: relationship.relationship, in: batch.entity, owners: Set(owners).sorted())
    for member in members {
      sharedMembers[list, default: [:]][member.owner, default: []].insert(member.row)
    }
  }

  /// Adds an occurrence to a wave, once.
  func reach(_ occurrence: Int32, in batch: MatchedBatch, _ wave: inout [[Int32]]) {
    guard !batch.occurrences[occurrence].flags.contains(.reached) else { return }
    batch.occurrences[occurrence].flags.insert(.reached)
    wave[batch.number].append(occurrence)
  }

  private func latestMentions(_ rule: Int, of batch: MatchedBatch) -> [Int32: Int] {
    let owners = batch.mentions[rule].owners
    return Dictionary(owners.indices.map { (batch.representative(owners[$0]), $0) }) { $1 }
  }

  private struct MemberLoad: Hashable {
    let batch: Int
    let slot: Int
  }

  private func collect(
    _ rule: Int, of batch: MatchedBatch, into next: inout [[Int32]],
    owners: inout [MemberLoad: [Int64]], linked: inout [Int: [Int64]]
  ) throws {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    let inverse = relationship.relationship.inverseSlot
    let loadsMembers =
      relationship.kind == .oneToMany && !destination.isComplete
    // Nobody has a list that was given again, so objects without a key that it owned are none.
    let latest =
      relationship.ownsKeyless && batch.hasRepeats && destination.isKeyless(among: batches)
      ? latestMentions(rule, of: batch) : [:]
    for mention in 0..<mentions.count {
      if mention % SyncControl.stride == 0 { try control.checkpoint() }
      let flags = batch.occurrences[mentions.owners[mention]].flags
      guard flags.contains(.current), !flags.contains(.ignored) else { continue }
      let number = batch.representative(mentions.owners[mention])
      let owner = batch.occurrences[number]
      guard owner.flags.contains(.active), latest[number] ?? mention == mention else { continue }
      if loadsMembers, owner.row > 0, !owner.flags.contains(.inserted), let inverse,
        !goesOn(rule, of: batch, owner)
      {
        owners[MemberLoad(batch: destination.number, slot: inverse), default: []]
          .append(owner.row)
      }
      // A keyless object is the one that its owner leads to already.
      func link(_ target: Match, of number: Int) {
        guard target.flags.contains(.keyless) else { return }
        let row = batch.linkedRow(of: owner, by: relationship.slot)
        if row > 0 { linked[number, default: []].append(row) }
      }
      for target in mentions.targets(of: mention) where target >= 0 {
        let flags = destination.occurrences[target].flags
        guard !flags.contains(.reached) else { continue }
        destination.occurrences[target].flags.insert(.reached)
        if flags.contains(.ofSubentity), let other = destination.staged.ofSubentities[target] {
          reach(other.occurrence, in: batches[other.batch], &next)
          link(batches[other.batch].occurrences[other.occurrence], of: other.batch)
          continue
        }
        next[destination.number].append(target)
        link(destination.occurrences[target], of: destination.number)
      }
    }
  }
}
