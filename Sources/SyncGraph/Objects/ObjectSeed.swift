/// What an object is made from. Contexts make seeds; programs insert or fetch objects instead.
public struct ObjectSeed {
  let home: ObjectHome

  /// The row number, negative for a new object.
  let row: Int64
}

@available(*, unavailable, message: "A seed belongs to the context that makes it.")
extension ObjectSeed: Sendable {}
