import Foundation

/// A use of the library whose cost has to grow no faster than its size: the work on *n* objects,
/// tables or steps is measured with *n*, 2 *n* and 4 *n* of them.
public struct Shape: Sendable {
  public let name: String

  /// The smallest size at which instructions are counted: so large that undue growth shows at four
  /// times of it, so small that counting, which is some hundred times as slow, takes seconds.
  public let counted: Int

  /// The smallest size at which time is measured.
  public let timed: Int

  /// Prepares, and has the scene measure its parts.
  public let run: @Sendable (Int, Scene) throws -> Void

  init(
    _ name: String, counted: Int, timed: Int, run: @escaping @Sendable (Int, Scene) throws -> Void
  ) {
    self.name = name
    self.counted = counted
    self.timed = timed
    self.run = run
  }

  /// The three sizes that begin with one.
  public static func sizes(from size: Int) -> [Int] { [size, 2 * size, 4 * size] }

  /// How a cost grows: 1 in proportion to the size, 2 with its square. The larger of the exponents
  /// of the two doublings.
  public static func exponent(_ costs: [Double]) -> Double {
    zip(costs, costs.dropFirst()).map { (log2($1 / max($0, 1e-9))) }.max() ?? 0
  }

  public static let all = syncs + keys + trees + pages + imports + edits + models + graphs + exports
}
