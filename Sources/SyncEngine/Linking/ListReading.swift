import Dispatch
import SyncCore
import SyncStore

/// Compares the lists of a relationship with their stored members: by two threads where there are many, one with the
/// transaction and the other beside it.
struct ListReading {
  let relationship: RelationshipDescription
  let entity: EntityDescription
  let wanted: MemberLists
  /// How many of the lists are compared, and how many of their owners are stored; they come first.
  let count: Int
  let storedCount: Int
  let transaction: StoreTransaction
  let control: SyncControl

  /// The stored members of lists that are not what the payload says, by the index of the list.
  func differences(_ helper: SecondReader?) throws -> MemberLists {
    let all = 0..<count
    guard let helper, storedCount >= helper.leastCount,
      try transaction.areMany(storedCount, of: entity),
      let beside = transaction.besideLinks(of: relationship, in: entity)
    else { return try differences(in: all, isPiece: false, from: transaction) }
    let starts = stride(from: 0, to: all.count, by: helper.pieceSize)
    let work = ListWork(self, starts.map { $0..<min($0 + helper.pieceSize, all.count) }, beside)
    helper.queue.async { work.run() }
    var result = MemberLists()
    let own = try transaction.readingThrough {
      try work.pieces.finish { number in
        result.append(try differences(in: work.ranges[number], isPiece: true, from: transaction))
      }
    }
    for different in work.made[own...] { result.append(different) }
    return result
  }

  /// Compares some of the lists.
  ///
  /// - Parameter isPiece: Whether it is known that their owners are many of those there are.
  fileprivate func differences(
    in range: Range<Int>, isPiece: Bool, from reader: StoreReader
  ) throws -> MemberLists {
    var comparison = ListComparison(wanted, in: range)
    var count = 0
    let stored = range.clamped(to: 0..<storedCount)
    try reader.scanLinks(
      of: relationship, in: entity, owners: wanted.owners[stored], areMany: isPiece ? true : nil
    ) { owner, member in
      count += 1
      if count % SyncControl.stride == 0 { try control.checkpoint() }
      comparison.see(member, of: owner)
    }
    return comparison.finish()
  }
}

/// What another thread does of the comparison: it looks at lists that do not change meanwhile, and what it makes belongs
/// to the sync when the pieces are finished.
private final class ListWork: @unchecked Sendable {
  let pieces: SharedPieces
  let ranges: [Range<Int>]
  private(set) var made: [MemberLists]
  private let reading: ListReading
  private let beside: ReadingBeside

  init(_ reading: ListReading, _ ranges: [Range<Int>], _ beside: ReadingBeside) {
    pieces = SharedPieces(count: ranges.count)
    made = ranges.map { _ in MemberLists() }
    self.reading = reading
    self.ranges = ranges
    self.beside = beside
  }

  func run() {
    pieces.work { next in
      try beside.read { reader in
        while let number = next() {
          made[number] = try reading.differences(in: ranges[number], isPiece: true, from: reader)
        }
      }
    }
  }
}
