/// Values that a store keeps beside its objects, by names that a program chooses: the place from
/// which the next import goes on, an entity tag, the time of the last full run.
///
/// ```swift
/// sync.metadata["topics.cursor"] = .string(next)         // committed with the rows of the sync
/// try stack.metadata["topics.cursor"]                    // as committed last
/// ```
///
/// Read from a stack it holds the stored values. Of a sync, a session or a context it holds values
/// that the next commit writes: a name that was set to nil is removed from the store, and one that
/// was not set stays as it is. An array or a structure is stored as `.data`, encoded by the
/// program.
public struct StoreMetadata: Sendable {
  /// Values by name; null removes the value from the store.
  package var values: [String: Value]

  /// Metadata without values.
  public init() { values = [:] }

  package init(_ values: [String: Value]) { self.values = values }

  /// The value of a name; nil where there is none.
  public subscript(name: String) -> Value? {
    get { values[name].flatMap { $0.isNull ? nil : $0 } }
    set { values[name] = newValue ?? .null }
  }

  /// The names that have a value, in ascending order.
  public var names: [String] { values.filter { !$0.value.isNull }.keys.sorted() }

  /// Whether nothing was set.
  public var isEmpty: Bool { values.isEmpty }

  /// Takes over the values of other metadata, which count more than those that are here.
  package mutating func merge(_ other: StoreMetadata) {
    values.merge(other.values) { $1 }
  }
}
