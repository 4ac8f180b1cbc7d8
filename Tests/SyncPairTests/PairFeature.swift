import SyncStack
import TestSupport

/// Something that a program combines with something else: how it changes the model, the payload and
/// the way the payload takes, the steps that it adds to a day, and a check of its own.
///
/// ```swift
/// static let order = PairFeature("order") { feature in
///   feature.shape = { shape in
///     shape.replace(.toMany("crates", to: "Crate", inverse: "depot", isOrdered: true), of: "Depot")
///   }
/// }
/// ```
struct PairFeature: Sendable {
  typealias Step = nonisolated(nonsending) @Sendable (PairWorld) async throws -> Void

  let name: String

  /// Whether the store records the edits of the program, which syncs leave alone until the end of
  /// the day.
  var tracksChanges = false

  /// Whether the program sends its edits itself, and acknowledges them at the end of the day.
  var acknowledges = false

  /// Whether the store keeps former values.
  var keepsValues = false

  /// Changes the model.
  var shape: @Sendable (inout PairShape) -> Void = { _ in }

  /// Fills a depot of the server that is new or changes.
  var depot: @Sendable (inout JSONObject, PairTruth, inout SeededGenerator) -> Void = { _, _, _ in }

  /// Fills a crate of the server that is new or changes.
  var crate: @Sendable (inout JSONObject, inout SeededGenerator) -> Void = { _, _ in }

  /// Writes an item as the API sends it.
  var wire: @Sendable (inout JSONObject) -> Void = { _ in }

  /// Prepares a stack that was opened.
  var prepare: @Sendable (DataStack) throws -> Void = { _ in }

  /// Adds items that mean no object to a payload.
  var noise: @Sendable (PairWorld) -> [JSONValue] = { _ in [] }

  /// Changes the settings of every sync, session and import of the case.
  var settings: @Sendable (inout SyncSettings) -> Void = { _ in }

  /// Changes the operations that bring a payload in one piece.
  var form: @Sendable (Sync, PairWorld) -> Void = { _, _ in }

  /// Brings all that the server has, in a way of its own.
  var delivery: Step?

  /// What may happen on a day, beside a delivery.
  var steps: [Step] = []

  /// Ends a day: the unsent edits are sent.
  var settle: Step?

  /// Looks at something of its own after every step.
  var check: Step?

  init(_ name: String, _ build: (inout PairFeature) -> Void) {
    self.name = name
    build(&self)
  }

  /// All features of the table, in the order of the pairs.
  static let all: [PairFeature] = modelFeatures + deliveryFeatures + editFeatures + machineFeatures
}

/// A rule that a case found broken.
struct PairFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
