/// The transformers that models may name.
///
/// A stack has one of its own or uses ``shared``; later registrations take effect with the next
/// sync and the next access. Safe to use from any thread: everything lies under one lock.
public final class TransformerRegistry: Sendable {
  private struct State {
    var transformers: [String: any AttributeTransformer] = [:]
    var generation = 0
  }

  private let state = Locked(State())

  /// Makes an empty registry.
  public init() {}

  /// The registry of all stacks that are not given another.
  public static let shared = TransformerRegistry()

  /// Registers a transformer under a name; an earlier one of that name is replaced.
  public func register(_ transformer: any AttributeTransformer, named name: String) {
    state.withLock {
      $0.transformers[name] = transformer
      $0.generation += 1
    }
  }

  /// Registers functions between JSON and stored values.
  public func register(
    _ name: String, forward: @escaping @Sendable (JSONValue) throws -> Value,
    reverse: (@Sendable (Value) throws -> JSONValue)? = nil
  ) {
    register(FunctionTransformer(forward: forward, reverse: reverse), named: name)
  }

  /// Removes the transformer of that name, if there is one.
  public func unregister(_ name: String) {
    state.withLock {
      $0.transformers[name] = nil
      $0.generation += 1
    }
  }

  /// The transformer of that name, or nil.
  public func transformer(named name: String) -> (any AttributeTransformer)? {
    state.withLock { $0.transformers[name] }
  }

  /// Names of all transformers, sorted.
  public var names: [String] { state.withLock { $0.transformers.keys.sorted() } }

  /// Grows with every change: plans made before are out of date.
  package var generation: Int { state.withLock { $0.generation } }
}

private struct FunctionTransformer: AttributeTransformer {
  let forward: @Sendable (JSONValue) throws -> Value
  let reverse: (@Sendable (Value) throws -> JSONValue)?

  func value(from json: JSONValue) throws -> Value { try forward(json) }
  func json(from value: Value) throws -> JSONValue? { try reverse?(value) }
}
