import Foundation
import SyncCore

/// What was appended to a log since a place in it.
extension StatementLog {
  /// A place behind the last statement.
  struct Mark {
    fileprivate var chunkCount = 0
    fileprivate var lastCount = 0
  }

  /// What was appended, and where the log stands now.
  struct Growth: Codable {
    fileprivate var relationships: [Claims.Relationship]
    fileprivate var count: Int
    fileprivate var rows: [Int64]
    fileprivate var members: [Int64]
    fileprivate var statements: KeptPiece
  }

  var mark: Mark { Mark(chunkCount: chunks.count, lastCount: chunks.last?.count ?? 0) }

  /// - Complexity: O(*n*) in what was appended.
  func growth(since mark: Mark) -> Growth {
    var statements = Data()
    if mark.chunkCount > 0 {
      statements.append(contentsOf: chunks[mark.chunkCount - 1].dropFirst(mark.lastCount))
    }
    for chunk in chunks[mark.chunkCount...] { statements.append(contentsOf: chunk) }
    return Growth(
      relationships: relationships, count: count, rows: cursor.rows, members: cursor.members,
      statements: KeptPiece(statements))
  }

  /// Appends what was appended to the log that this one is a copy of.
  mutating func add(_ growth: Growth) {
    if !growth.statements.data.isEmpty { chunks.append(Array(growth.statements.data)) }
    stand(
      relationships: growth.relationships, count: growth.count,
      Cursor(rows: growth.rows, members: growth.members))
  }
}
