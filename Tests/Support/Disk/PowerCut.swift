package import Foundation

/// The files of a ``WatchedDisk`` as a power cut leaves them: everything that was synced is there;
/// each change since is there, is lost, or is torn at a sector.
package struct PowerCut {
  private struct File {
    var bytes: [UInt8] = []
    var exists = false
    var waiting: [WatchedDisk.Change] = []

    mutating func apply(_ change: WatchedDisk.Change) {
      exists = true
      switch change {
      case .write(let offset, let written):
        let end = offset + written.count
        if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
        bytes.replaceSubrange(offset..<end, with: written)
      case .truncate(let size):
        bytes = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
      case .delete: (bytes, exists) = ([], false)
      case .sync, .note: break
      }
    }

    /// Brings the changes to the disk; those of another file only if it was deleted, because journals
    /// of file systems keep deletions and syncs in order.
    mutating func sync(onlyDeletion: Bool) {
      var end = waiting.endIndex
      if onlyDeletion {
        let deletion = waiting.lastIndex { if case .delete = $0 { true } else { false } }
        end = deletion.map { $0 + 1 } ?? 0
      }
      for change in waiting[..<end] { apply(change) }
      waiting.removeFirst(end)
    }

    /// Has each change that was not synced happen, or not, or by half.
    mutating func cut(_ random: inout SeededGenerator) {
      for change in waiting {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: apply(change)
        case 1: break
        default:
          guard case .write(let offset, let bytes) = change, bytes.count > 512 else { continue }
          let sectors = Int.random(in: 1...(bytes.count / 512), using: &random)
          apply(.write(offset: offset, bytes: Array(bytes.prefix(sectors * 512))))
        }
      }
      waiting = []
    }
  }

  private var files: [String: File] = [:]

  /// The number of the last commit that had returned when the power went; 0 if none had.
  package private(set) var acknowledged = 0

  /// The state after so many of the changes, the rest of which a seed decides.
  package init(
    after changes: some Sequence<(file: String, change: WatchedDisk.Change)>, seed: UInt64
  ) {
    for (name, change) in changes {
      switch change {
      case .note(let number): acknowledged = number
      case .sync:
        for other in files.keys { files[other]?.sync(onlyDeletion: other != name) }
      case .delete(isSynced: true): files[name] = nil
      default: files[name, default: File()].waiting.append(change)
      }
    }
    var random = SeededGenerator(seed: seed)
    for name in files.keys.sorted() { files[name]?.cut(&random) }
  }

  /// Writes the files into a folder.
  package func write(to folder: URL) throws {
    for (name, file) in files where file.exists {
      try Data(file.bytes).write(to: folder.appending(path: name))
    }
  }
}
