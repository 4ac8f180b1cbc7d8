import Foundation
import SyncStack

/// Takes the file of a store away again that was made for a command and got nothing.
struct NewStoreFile {
  private let url: URL
  private let wasThere: Bool

  /// Has to be made before the store is opened.
  init(_ url: URL) {
    self.url = url
    wasThere = FileManager.default.fileExists(atPath: url.path)
  }

  /// Opens the store, and leaves nothing behind when that fails.
  func open(_ body: () throws -> DataStack) throws -> DataStack {
    do {
      return try body()
    } catch {
      if !wasThere { try? DataStack.destroyStore(at: url) }
      throw error
    }
  }

  /// Closes the store and removes its files when nothing was ever stored in it.
  func removeIfEmpty(_ stack: DataStack) {
    guard !wasThere, stack.storeURL != nil, (try? isEmpty(stack)) == true else { return }
    try? stack.close()
    try? DataStack.destroyStore(at: url)
  }

  private func isEmpty(_ stack: DataStack) throws -> Bool {
    guard try stack.quarantine.items().isEmpty else { return false }
    return try stack.store.read { reader in
      try stack.model.entities.allSatisfy { try reader.count(FetchPlan(entity: $0)) == 0 }
    }
  }
}
