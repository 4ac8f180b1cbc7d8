package import SyncCore
package import SyncStore

/// Values that other modules keep with a stack, one of each type. Everything is under the mutex.
///
/// A list, because there are two or three, and the first dictionary of a kind that a program makes
/// takes longer than many look-ups.
final class StackAttachments: Sendable {
  private struct Values {
    var list: [(type: ObjectIdentifier, value: any Sendable)] = []

    func find<T: Sendable>(_ type: T.Type) -> T? {
      let type = ObjectIdentifier(T.self)
      return list.first { $0.type == type }?.value as? T
    }
  }

  private let values = Locked(Values())

  /// The value of that type, made on the first call. Of two that are made at the same time the
  /// first to arrive stays.
  func value<T: Sendable>(_ make: () -> T) -> T {
    if let value = values.withLock({ $0.find(T.self) }) { return value }
    let made = make()
    return values.withLock { values in
      if let value = values.find(T.self) { return value }
      values.list.append((ObjectIdentifier(T.self), made))
      return made
    }
  }
}

extension DataStack {
  /// A value that another module keeps with the stack, made on the first call.
  package func attachment<T: Sendable>(_ make: () -> T) -> T {
    core.attachments.value(make)
  }

  /// A value that another module keeps with the stack and everything made of it, disposable
  /// contexts among that.
  package func sharedAttachment<T: Sendable>(_ make: () -> T) -> T {
    core.sharedAttachments.value(make)
  }
}

/// The check of another module on the saves of contexts, when all of a save is written and before
/// it is committed.
private final class SaveCheck: Sendable {
  let check = Locked<(@Sendable (StoreReader, [ChangeSet.EntityChanges]) throws -> Void)?>(nil)
}

extension DataStack {
  /// Has saves and batches of all contexts checked; the last check that was set does it.
  package func setSaveCheck(
    _ check: @escaping @Sendable (StoreReader, [ChangeSet.EntityChanges]) throws -> Void
  ) {
    attachment { SaveCheck() }.check.withLock { $0 = check }
  }
}

extension StackCore {
  var saveCheck: (@Sendable (StoreReader, [ChangeSet.EntityChanges]) throws -> Void)? {
    attachments.value { SaveCheck() }.check.withLock { $0 }
  }
}
