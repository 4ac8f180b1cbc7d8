import SyncCore

/// The documents that hold several lists of one sync, each at a path: a document is had once, and
/// the first of its lists checks its text for all of them. Pages of a session, of which there may
/// be thousands, are not compared.
enum SharedDocuments {
  /// Reads what cannot be read while the store waits, once for each document.
  ///
  /// - Parameter pages: The pages in the order in which they are worked off; each is at the end of
  ///   its document before the next one is begun.
  static func settle(_ pages: inout [SyncRequest], _ control: SyncControl) throws {
    let owners = pages.indices.map { index in
      pages[index].setup.path == nil || pages[index].session != nil
        ? index
        : pages[..<index].firstIndex {
          $0.setup.path != nil && $0.payload.isSame(as: pages[index].payload)
        } ?? index
    }
    let shared = Set(owners.indices.filter { owners[$0] != $0 }.map { owners[$0] })
    for (index, owner) in owners.enumerated() {
      if owner < index {
        pages[index].payload = pages[owner].payload
        pages[index].isChecked = true
      } else if shared.contains(index) {
        pages[index].payload = try pages[index].payload.inMemory(control)
      } else {
        pages[index].payload = try pages[index].payload.settled(control)
      }
    }
  }
}
