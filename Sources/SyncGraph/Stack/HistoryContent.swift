public import Foundation
import SyncStore

/// The content of a history beside the names of what changed.
///
/// ```swift
/// let stack = try DataStack(model: model, store: .sqlite(url), history: .values)
/// ```
public struct HistoryContent: Sendable, Hashable {
  let limits: FormerValueLimits?

  /// Which objects and properties each commit changed: the same as `tracksChanges: true`.
  public static let changes = HistoryContent(limits: nil)

  /// Also what they were before, for 30 days and up to 64 MB: commits can be taken back, and
  /// compared with the present.
  public static let values = HistoryContent.values()

  /// Also what they were before.
  ///
  /// - Parameters:
  ///   - age: How long values are kept, in seconds; 30 days unless given.
  ///   - size: How many bytes of values are kept, of all commits together; 64 MB unless given. The
  ///     oldest commits lose theirs first, and one that has more than this has none.
  public static func values(
    keptFor age: TimeInterval = 30 * 86_400, upTo size: Int = 64 << 20
  ) -> HistoryContent {
    HistoryContent(limits: FormerValueLimits(age: age, size: size))
  }
}
