/// The result of a call with a completion handler: a value, or why there is none.
public enum SyncResult<Value> {
  /// The value of the call.
  case success(Value)
  /// Why it gives nothing.
  case failure(any Error)

  /// Keeps the value or the error of the body.
  init(_ body: () throws -> Value) {
    do {
      self = .success(try body())
    } catch {
      self = .failure(error)
    }
  }

  /// Whether there is a value.
  public var isSuccess: Bool {
    if case .success = self { true } else { false }
  }

  /// Whether there is an error.
  public var isFailure: Bool { !isSuccess }

  /// The value; nil after a failure.
  public var value: Value? {
    if case .success(let value) = self { value } else { nil }
  }

  /// The error; nil after a success.
  public var error: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }

  /// The value, or the error thrown.
  public func get() throws -> Value {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw error
    }
  }
}

extension SyncResult: Sendable where Value: Sendable {}

extension SyncResult: CustomStringConvertible, CustomDebugStringConvertible {
  /// `SUCCESS` or `FAILURE`.
  public var description: String { isSuccess ? "SUCCESS" : "FAILURE" }

  /// `SUCCESS` or `FAILURE` with the value or error.
  public var debugDescription: String {
    switch self {
    case .success(let value): "SUCCESS: \(value)"
    case .failure(let error): "FAILURE: \(error)"
    }
  }
}
