import SyncCore
import SyncStore

/// The way from one wave to the next: the objects that come next, and the rows that have to be read
/// for them.
extension Matcher {
  /// Collects the objects below the current wave, and reads their owners' stored members where they
  /// are needed.
  func openNextWave() throws {
    var next = NextWave(occurrences: batches.map { _ in [] })
    for batch in batches {
      for rule in batch.node.relationships.indices where batch.mentions[rule].count > 0 {
        try control.checkpoint()
        try readFormerMembers(rule, of: batch)
        try collect(rule, of: batch, into: &next)
      }
    }
    for batch in batches {
      for occurrence in waves[batch.number] {
        batch.matches[occurrence].flags.remove(.current)
      }
    }
    if next.occurrences.allSatisfy(\.isEmpty) { try collectPostponed(into: &next) }
    for (list, rows) in next.owners {
      let relationship = batches[list.batch].node.relationships[list.rule]
      guard let inverse = relationship.relationship.inverseSlot else { continue }
      try loadMembers(of: rows, column: inverse, in: batches[relationship.node])
    }
    for (number, rows) in next.linked { try loadRows(rows, in: batches[number]) }
    for number in batches.indices { Self.order(&next.occurrences[number]) }
    waves = next.occurrences
  }

  /// Puts objects into the order of the payload, where several relationships lead to them: which of
  /// several is first does not depend on the order of the model.
  private static func order(_ wave: inout [Int32]) {
    if zip(wave, wave.dropFirst()).contains(where: >) { wave = wave.sorted() }
  }

  /// Whether a list is that of a given parent of which other parts of the payload have more:
  /// members that leave it are decided at the end, so that no part has to read all of it.
  private func goesOn(_ rule: Int, of batch: MatchedBatch, _ owner: Match) -> Bool {
    guard hasParts, let rootOwner = part.rootOwner, rootOwner.batch == batch.number,
      rootOwner.rule == rule
    else { return false }
    return owner.row == batch.matches[batch.representative(rootOwner.owner)].row
  }

  /// Reads the members of the lists of the current wave's owners, where several stored objects have
  /// one key.
  private func readFormerMembers(_ rule: Int, of batch: MatchedBatch) throws {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    guard relationship.relationship.isToMany,
      !destination.contested.isEmpty
        || (relationship.kind == .manyToMany && !destination.references.duplicates.isEmpty)
    else { return }
    let owners = batch.mentions[rule].owners.lazy
      .filter { batch.matches[$0].flags.contains(.current) }
      .map { batch.matches[batch.representative($0)] }.filter { $0.stored >= 0 }.map(\.row)
    guard !owners.isEmpty else { return }
    let list = ListPlace(batch: batch.number, rule: rule)
    let members = try transaction.members(
      of: relationship.relationship, in: batch.entity, owners: Set(owners).sorted())
    for member in members {
      matches.formerMembers[list, default: [:]][member.owner, default: []].insert(member.row)
    }
  }

  /// Adds an occurrence to a wave, once.
  func reach(_ occurrence: Int32, in batch: MatchedBatch, _ wave: inout [[Int32]]) {
    guard !batch.matches[occurrence].flags.contains(.reached) else { return }
    batch.matches[occurrence].flags.insert(.reached)
    wave[batch.number].append(occurrence)
  }

  private struct NextWave {
    var occurrences: [[Int32]]
    /// Owners whose members are read, by list, and rows that are, by batch.
    var owners: [ListPlace: [Int64]] = [:]
    var linked: [Int: [Int64]] = [:]
  }

  private func collect(_ rule: Int, of batch: MatchedBatch, into next: inout NextWave) throws {
    let relationship = batch.node.relationships[rule]
    let owners = batch.mentions[rule].owners
    let ownsKeyless =
      relationship.ownsKeyless && batches[relationship.node].isKeyless(among: batches)
    for mention in owners.indices {
      if mention % SyncControl.stride == 0 { try control.checkpoint() }
      let owner = batch.matches[owners[mention]]
      guard owner.flags.contains(.current), !owner.flags.contains(.ignored) else { continue }
      // Which list of an owner is its latest is known when all of its mentions are.
      if ownsKeyless, batch.hasRepeats || owner.traits.contains(.shared) {
        postponed[ListPlace(batch: batch.number, rule: rule), default: []].append(mention)
      } else {
        collect(mention, rule, of: batch, into: &next)
      }
    }
  }

  /// Of lists that an owner gives several times only the last is collected: objects without a key
  /// in earlier ones are none.
  private func collectPostponed(into next: inout NextWave) throws {
    let places = postponed.sorted { ($0.key.batch, $0.key.rule) < ($1.key.batch, $1.key.rule) }
    postponed = [:]
    for (place, mentions) in places {
      try control.checkpoint()
      let batch = batches[place.batch]
      let owners = batch.mentions[place.rule].owners
      var latest: [Int32: Int] = [:]
      for (mention, owner) in owners.enumerated()
      where !batch.matches[owner].flags.contains(.ignored) {
        latest[batch.representative(owner)] = mention
      }
      for mention in mentions where latest[batch.representative(owners[mention])] == mention {
        collect(mention, place.rule, of: batch, into: &next)
      }
    }
  }

  @inline(__always)
  private func collect(
    _ mention: Int, _ rule: Int, of batch: MatchedBatch, into next: inout NextWave
  ) {
    let relationship = batch.node.relationships[rule]
    let destination = batches[relationship.node]
    let mentions = batch.mentions[rule]
    let owner = batch.matches[batch.representative(mentions.owners[mention])]
    guard owner.flags.contains(.active) else { return }
    if relationship.kind == .oneToMany, !destination.stored.isComplete, owner.row > 0,
      !owner.flags.contains(.inserted), !goesOn(rule, of: batch, owner)
    {
      next.owners[ListPlace(batch: batch.number, rule: rule), default: []].append(owner.row)
    }
    // A keyless object is the one that its owner leads to already.
    func link(_ target: Match, of number: Int) {
      guard target.traits.contains(.keyless) else { return }
      let row = batch.linkedRow(of: owner, by: relationship.slot)
      if row > 0 { next.linked[number, default: []].append(row) }
    }
    for target in mentions.targets(of: mention) where target >= 0 {
      let found = destination.matches[target]
      guard !found.flags.contains(.reached) else { continue }
      destination.matches[target].flags.insert(.reached)
      if found.traits.contains(.ofSubentity), let other = destination.staged.ofSubentities[target] {
        reach(other.occurrence, in: batches[other.batch], &next.occurrences)
        link(batches[other.batch].matches[other.occurrence], of: other.batch)
        continue
      }
      next.occurrences[destination.number].append(target)
      link(destination.matches[target], of: destination.number)
    }
  }
}
