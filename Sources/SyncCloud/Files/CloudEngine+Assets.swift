public import Foundation
public import SyncCore
public import SyncGraph
import SyncStore

/// Files of objects: where they are, and how they stand.
extension CloudEngine {
  /// The folder beside the store, `notes.sqlite.assets`, in which the files are that text
  /// attributes with `cloud.asset` name. A store in memory has one that goes with the engine.
  public var assetFolder: URL { files.folder.url }

  /// The largest file that is sent, in bytes; 1 GiB by default. A larger one is a problem of its
  /// object.
  public var assetLimit: Int64 {
    get { files.state.withLock { $0.limit } }
    set { files.state.withLock { $0.limit = newValue } }
  }

  /// For how many seconds no record has to have referred to a file before ``sync(progress:)``
  /// removes it from the server; 30 days by default, and nil never does. It looks once a week; see
  /// ``removeUnusedAssets(after:)``.
  public var unusedAssetGrace: Double? {
    get { files.state.withLock { $0.grace } }
    set { files.state.withLock { $0.grace = newValue } }
  }

  /// Copies a file into ``assetFolder``, unless one with the same bytes is there.
  ///
  /// ```swift
  /// note.photo = try await cloud.addAsset(copying: picture)    // 5f70bf18….jpg, a text attribute
  /// ```
  ///
  /// - Returns: The name to give to a text attribute: hash and size of the bytes, and the file's
  ///   own extension. The same everywhere.
  /// - Throws: ``CloudError`` with ``CloudError/Code/file``.
  @concurrent public func addAsset(copying file: URL) async throws -> String {
    try files.folder.add(file.pathExtension) { try FileManager.default.copyItem(at: file, to: $0) }
  }

  /// Writes bytes into ``assetFolder``, unless a file with them is there.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - pathExtension: Of the name, as `jpg`: at most 16 letters and digits of ASCII.
  @concurrent public func addAsset(
    _ data: Data, pathExtension: String = ""
  ) async throws -> String {
    try files.folder.add(pathExtension) { try data.write(to: $0) }
  }

  /// Where the file of that name is, which counts as used now; nil while it is not here.
  public func assetURL(_ name: String) -> URL? {
    guard CloudAsset(fileName: name) != nil, files.folder.has(name) else { return nil }
    files.folder.touch(name)
    return files.folder.location(name)
  }

  // MARK: - How they stand

  /// Where the bytes of an attribute are; nil when it has none.
  ///
  /// - Throws: ``CloudError`` with ``CloudError/Code/unsupported`` when it does not say
  ///   `cloud.asset`; `StoreError`.
  public func assetState<Object: ManagedObject, Property: AttributeProperty>(
    of object: Object, _ path: KeyPath<Object, Property>
  ) throws -> CloudAssetState? {
    try assetState(of: object.objectID, PropertyNames.name(of: path))
  }

  /// The same by identifier and name.
  public func assetState(of object: ManagedObjectID, _ name: String) throws -> CloudAssetState? {
    let place = try place(object, name)
    let value = try stack.store.read { reader in
      try reader.rows(object.entity, rows: [object.row]).first?.values[place.slot]
    }
    let asset: CloudAsset
    switch value {
    case .data(let data):
      guard let held = CloudAsset(placeholder: data) else {
        return files.transfer(place.key) ?? .here
      }
      asset = held
    case .string(let name):
      guard !files.folder.has(name), let named = CloudAsset(fileName: name) else {
        return files.transfer(place.key) ?? .here
      }
      asset = named
    default: return nil
    }
    return files.transfer(asset.hash) ?? .there
  }

  /// The state now, and again whenever it has changed. Ends when the store was closed, or the
  /// object cannot be asked about.
  public func assetStates(
    of object: ManagedObjectID, _ name: String
  ) -> AsyncStream<CloudAssetState?> {
    let state = { @Sendable [weak self] () -> CloudAssetState?? in
      guard let self, let state = try? Optional(assetState(of: object, name)) else { return nil }
      return .some(state)
    }
    return monitor.updates(state, unless: { $0 == $1 })
  }
}
