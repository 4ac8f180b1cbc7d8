import SyncCore

/// What other modules keep with a stack, one value of each type. Everything is under the mutex.
final class StackAttachments: Sendable {
  private let values = Locked<[ObjectIdentifier: any Sendable]>([:])

  /// The value of that type, made on the first call. Of two that are made at the same time the first
  /// to arrive stays.
  func value<T: Sendable>(_ make: () -> T) -> T {
    if let value = values.withLock({ $0[ObjectIdentifier(T.self)] as? T }) { return value }
    let made = make()
    return values.withLock { values in
      if let value = values[ObjectIdentifier(T.self)] as? T { return value }
      values[ObjectIdentifier(T.self)] = made
      return made
    }
  }
}

extension DataStack {
  /// A value that another module keeps with the stack, made on the first call.
  package func attachment<T: Sendable>(_ make: () -> T) -> T {
    core.attachments.value(make)
  }
}
