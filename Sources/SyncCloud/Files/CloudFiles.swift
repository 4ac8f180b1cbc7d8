import Foundation
import SyncCore
import SyncGraph

/// The files of an engine's objects: settings, and the state of transfers. Everything that changes
/// is under one mutex.
final class CloudFiles: Sendable {
  struct State {
    /// The largest that is sent.
    var limit: Int64 = 1 << 30

    /// Seconds for which a file has to be of no use before it is removed from the server.
    var grace: Double? = 30 * 86_400

    /// Bytes in a chunk.
    var chunk = 1 << 18

    /// Of the zones of the files, once they were opened, by those of the records.
    var generations: [CloudZone: String] = [:]

    /// Whether files may be missing that come with pulls.
    var mayMiss = true

    /// Files that are being sent, by ``AssetPlace``, or fetched, by hash, or have failed.
    var transfers: [String: CloudAssetState] = [:]
  }

  let folder: AssetFolder
  let state = Locked(State())

  /// One file is fetched at a time.
  let downloads = CloudTurn()

  private let isTemporary: Bool

  init(_ stack: DataStack) {
    folder = AssetFolder(stack.storeURL)
    isTemporary = stack.storeURL == nil
  }

  deinit {
    if isTemporary { try? FileManager.default.removeItem(at: folder.url) }
  }

  func transfer(_ key: String) -> CloudAssetState? { state.withLock { $0.transfers[key] } }

  func setTransfer(_ key: String, _ transfer: CloudAssetState?) {
    state.withLock { $0.transfers[key] = transfer }
  }
}

/// Where the bytes of an attribute are.
public enum CloudAssetState: Sendable, Hashable {
  /// On this machine.
  case here

  /// On the server only.
  case there

  /// On this machine and on its way to the server; how much of it is there.
  case uploading(Double)

  /// On its way here; how much of it has arrived.
  case downloading(Double)

  /// The reason for which it could not be sent or fetched. The next push, or the next call that
  /// fetches it, tries again.
  case failed(String)
}

/// An attribute of an object whose bytes are a file.
struct AssetPlace: Sendable, Hashable {
  let object: ManagedObjectID
  let slot: Int

  var field: String { object.entity.properties[slot].name }

  /// Its key among the transfers of ``CloudFiles``.
  var key: String { "\(object.entity.rootEntity.name)/\(object.row)/\(field)" }
}
