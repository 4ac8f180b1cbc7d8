public import Foundation
public import TestPayloads

/// A program in the comparison: it brings a SQLite file in step with a payload.
///
/// All of them do the same: insert new rows, update those that differ, delete those that are
/// missing, and count, in one transaction, in a file with a write-ahead log and `synchronous =
/// NORMAL`.
public protocol Contender {
  /// Whether it can do the job.
  static func takesPart(in set: DataSet) -> Bool

  /// Opens the file, and makes it when there is none.
  init(path: String, set: DataSet) throws

  /// Puts in the rows that the payload of the set refers to and does not bring along.
  func prepare(_ payloads: Payloads) throws

  /// Brings the file in step with the payload, and returns how many rows changed.
  func sync(_ payload: UnsafeRawBufferPointer) throws -> Counts

  /// The same with a payload in a file.
  func sync(file: URL) throws -> Counts

  /// Closes the file; folds the log back.
  func close() throws
}

extension Contender {
  public static func takesPart(in set: DataSet) -> Bool { true }

  public func prepare(_ payloads: Payloads) throws {}

  /// Maps the file: its pages are read as they are needed.
  public func sync(file: URL) throws -> Counts {
    try Data(contentsOf: file, options: .alwaysMapped).withUnsafeBytes { try sync($0) }
  }
}

/// The data that is synced.
public enum DataSet: String, Sendable, CaseIterable, Codable {
  /// Users with three notes each.
  case users
  /// Documents in two many-to-many relationships, given by keys.
  case documents
  /// Books with an ordered list of chapters. Books alone are counted.
  case books
}

/// Objects that a sync touched, children included.
public struct Counts: Sendable, Equatable, Codable {
  public var inserted = 0
  public var updated = 0
  public var deleted = 0

  public init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  public mutating func add(_ other: Counts) {
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
  }
}

/// A kind of sync that is measured.
public enum Scenario: String, Sendable, CaseIterable, Codable {
  /// Everything is new: the file is empty.
  case cold
  case unchanged
  /// One object in a hundred changed, and one child of each.
  case onePercent
  /// Every object changed, and each child.
  case allChanged
  /// One object in ten is gone and as many came.
  case churn
  /// Everything is new and lies in a file that should not be in memory.
  case streamed

  /// Those whose payload is in memory.
  public static let inMemory: [Scenario] = [.cold, .unchanged, .onePercent, .allChanged, .churn]

  /// Whether the file is empty in the beginning.
  var beginsEmpty: Bool { self == .cold || self == .streamed }

  public var variant: UserPayload.Variant {
    switch self {
    case .cold, .unchanged, .streamed: .base
    case .onePercent: .changed
    case .allChanged: .allChanged
    case .churn: .churned
    }
  }

  /// The report that a sync has to give.
  public func expected(_ payloads: Payloads) -> Counts {
    guard beginsEmpty else { return payloads.outcome(variant) }
    return Counts(inserted: payloads.set == .users ? payloads.count * 4 : payloads.count)
  }
}
