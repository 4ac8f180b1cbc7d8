public import Foundation
public import SyncCore
import SyncStore

/// The access to the store of a stack, one for all its contexts: ``DataStack/persistentStoreCoordinator``.
///
/// It says which store is open, and two contexts with equal coordinators share one. Contexts go to the
/// store by themselves; what else is done with it (copying, dropping, closing) is a call of the
/// ``DataStack``.
///
/// Safe to use from any thread. Holding it keeps the store open, but not the stack: as a context does.
public final class PersistentStoreCoordinator: Sendable {
  /// A store that is open.
  public struct PersistentStore: Sendable, Hashable {
    /// Where its data are kept.
    public let type: DataStack.StoreType

    /// Its file; nil in memory.
    public let url: URL?
  }

  private let core: StackCore

  init(_ core: StackCore) {
    self.core = core
  }

  /// The model of the store.
  public var managedObjectModel: ManagedObjectModel { core.model }

  /// The stores that are open: the one of the stack, and none when it was closed.
  public var persistentStores: [PersistentStore] {
    guard (try? core.store()) != nil else { return [] }
    return switch core.configuration.location {
    case .file(let url): [PersistentStore(type: .sqLite, url: url)]
    case .memory: [PersistentStore(type: .inMemory, url: nil)]
    }
  }
}

extension PersistentStoreCoordinator: Equatable {
  /// Whether both are the access to the same stack's store.
  public static func == (
    one: PersistentStoreCoordinator, other: PersistentStoreCoordinator
  ) -> Bool {
    one.core === other.core
  }
}

extension DataStack {
  /// The access to the store, the same for all contexts of the stack.
  public var persistentStoreCoordinator: PersistentStoreCoordinator {
    PersistentStoreCoordinator(core)
  }
}

extension ManagedObjectContext {
  /// The access to the store that the context, or the context at the root of its family, reads and
  /// writes. A disposable context has a store of its own.
  public var persistentStoreCoordinator: PersistentStoreCoordinator {
    PersistentStoreCoordinator(core)
  }
}
