import SyncCore
import SyncStore

/// Writes what changed of a set: an amendment as long as that is little, else the parts in which something
/// changed, and everything when little of it is left.
struct FingerprintWriter {
  let set: FingerprintSet
  let made: MadeFingerprints

  /// Which of the made ones takes the place of a record.
  let replacements: [Int: Int]
  /// Those of the made ones that are new.
  let added: [Int]

  let id: Int64
  let transaction: StoreTransaction

  /// Records of a part: large enough that reading all of them costs nothing, small against what is written
  /// when many changed.
  private static let partSize = 1024

  /// The amendment has at most one record for this many in the parts.
  private static let amendedShare = 8

  /// Records that an amendment may always have: what every set of some dozen items would write anew.
  private static let amendedLimit = 4

  func write() throws {
    if set.contents.parts.isEmpty || set.id != id || isLoose {
      try writeAll()
    } else if amendedCount
      <= max(
        set.contents.partRecords / FingerprintWriter.amendedShare, FingerprintWriter.amendedLimit)
    {
      try writeAmendment()
    } else {
      try writeParts()
    }
  }

  /// Whether parts have become so thin that they are put together again.
  private var isLoose: Bool {
    let kept = set.states.indices.count { !set.isGone($0) } + replacements.count
    return set.contents.parts.count > 4
      && kept * 2 < set.contents.parts.count * FingerprintWriter.partSize
  }

  /// Records that are not what their part says, or in none.
  private var amendedCount: Int {
    added.count
      + set.states.indices.count {
        $0 >= set.contents.partRecords || set.isGone($0) || set.isAmended($0)
      }
  }

  private func writeAmendment() throws {
    var amendment = FingerprintPart(set: set, made: made)
    for record in 0..<set.contents.partRecords where set.isGone(record) || set.isAmended(record) {
      if let index = replacements[record] {
        amendment.append(made: index, at: record)
      } else if set.isGone(record) {
        amendment.append(absent: record)
      } else {
        amendment.append(record: record, at: record)
      }
    }
    var place = set.contents.partRecords
    for record in set.contents.partRecords..<set.count {
      if let index = replacements[record] {
        amendment.append(made: index, at: place)
      } else if !set.isGone(record) {
        amendment.append(record: record, at: place)
      } else {
        continue
      }
      place += 1
    }
    for index in added {
      amendment.append(made: index, at: place)
      place += 1
    }
    try write(&amendment, FingerprintContents.amendment)
  }

  private func writeParts() throws {
    var part = FingerprintPart(set: set, made: made)
    var rest = tail()[...]
    for (index, (number, first)) in set.contents.parts.enumerated() {
      let isLast = index + 1 == set.contents.parts.count
      let end = isLast ? set.contents.partRecords : set.contents.parts[index + 1].first
      var isChanged = false
      for record in first..<end where set.isGone(record) || set.isAmended(record) {
        isChanged = true
        break
      }
      isChanged = isChanged || isLast && !rest.isEmpty && end - first < FingerprintWriter.partSize
      guard isChanged else { continue }
      for record in first..<end { append(record, to: &part) }
      while isLast, part.count < FingerprintWriter.partSize, let next = rest.popFirst() {
        append(next, to: &part)
      }
      try write(&part, number)
    }
    var number = (set.contents.parts.last?.number ?? -1) + 1
    for next in rest {
      append(next, to: &part)
      if part.count == FingerprintWriter.partSize { try flush(&part, &number) }
    }
    if part.count > 0 { try flush(&part, &number) }
    try transaction.writeFingerprints(FingerprintContents.amendment, of: id, nil)
  }

  private func writeAll() throws {
    try transaction.clearFingerprints(of: id)
    var part = FingerprintPart(set: set, made: made)
    var number = 0
    for record in 0..<set.contents.partRecords {
      append(record, to: &part)
      if part.count == FingerprintWriter.partSize { try flush(&part, &number, isNew: true) }
    }
    for next in tail() {
      append(next, to: &part)
      if part.count == FingerprintWriter.partSize { try flush(&part, &number, isNew: true) }
    }
    if part.count > 0 { try flush(&part, &number, isNew: true) }
  }

  // MARK: - What comes behind the parts

  private enum Source {
    case record(Int)
    case made(Int)
  }

  private func tail() -> [Source] {
    (set.contents.partRecords..<set.count).map { .record($0) } + added.map { .made($0) }
  }

  private func append(_ source: Source, to part: inout FingerprintPart) {
    switch source {
    case .record(let record): append(record, to: &part)
    case .made(let index): part.append(made: index)
    }
  }

  /// Adds what is at the place of a record from now on, if anything.
  private func append(_ record: Int, to part: inout FingerprintPart) {
    if let index = replacements[record] {
      part.append(made: index)
    } else if !set.isGone(record) {
      part.append(record: record)
    }
  }

  private func flush(
    _ part: inout FingerprintPart, _ number: inout Int, isNew: Bool = false
  ) throws {
    try write(&part, number, isNew: isNew)
    number += 1
  }

  private func write(_ part: inout FingerprintPart, _ number: Int, isNew: Bool = false) throws {
    try part.withBytes { try transaction.writeFingerprints(number, of: id, $0, isNew: isNew) }
    part.removeAll()
  }
}

@available(*, unavailable, message: "A writer is confined to its transaction.")
extension FingerprintWriter: Sendable {}
