import Foundation
import SyncStack

/// Takes the file of a store away again that was made for a command and got nothing.
struct NewStoreFile {
  private let url: URL
  private let wasThere: Bool
  private let migrates: Bool

  /// Has to be made before the store is opened.
  ///
  /// - Parameter migrates: Whether opening may bring the store to another model.
  init(_ url: URL, migrates: Bool = false) {
    self.url = url
    self.migrates = migrates
    wasThere = FileManager.default.fileExists(atPath: url.path)
  }

  /// Opens the store, and leaves nothing behind when that fails or a Ctrl-C ends it.
  func open(on terminal: Terminal, _ body: () throws -> DataStack) throws -> DataStack {
    let interrupt = Interrupt { terminal.leaveCancelled(removeHalfMade) }
    defer { withExtendedLifetime(interrupt) {} }
    do {
      return try body()
    } catch {
      if !wasThere { try? DataStack.destroyStore(at: url) }
      throw error
    }
  }

  private func removeHalfMade() {
    if migrates { Store.removeUnfinishedCopy(of: url) }
    if !wasThere { try? DataStack.destroyStore(at: url) }
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
