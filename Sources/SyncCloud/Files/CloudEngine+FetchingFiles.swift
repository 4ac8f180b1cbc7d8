public import Foundation
public import SyncCore
public import SyncGraph
import SyncStore

/// Files that are on the server come here.
extension CloudEngine {
  /// Fetches the bytes of an attribute with `cloud.asset`: into the row of a binary one, into
  /// ``assetFolder`` for a text. Does nothing when they are here, or when there is nothing.
  ///
  /// ```swift
  /// try await cloud.fetchAsset(of: note, \.$photo)
  /// ```
  ///
  /// The bytes that have arrived are kept when it fails or is cancelled, and the next call goes on
  /// there. Files are fetched one after the other; pulls and pushes go on meanwhile. The object's
  /// context has merged the result when the call returns.
  ///
  /// - Parameters:
  ///   - object: Whose; it is saved.
  ///   - path: Leads to the wrapper of the attribute.
  ///   - progress: Counts bytes.
  /// - Throws: ``CloudError``, with the code `notFound` when the server has no such file, and
  ///   `file` when it cannot be written here; `StoreError`; `CancellationError`.
  public func fetchAsset<Object: ManagedObject, Property: AttributeProperty>(
    of object: Object, _ path: KeyPath<Object, Property>,
    progress: Progress = Progress(totalUnitCount: 0)
  ) async throws {
    let context = object.managedObjectContext
    try await fetchAsset(of: object.objectID, PropertyNames.name(of: path), progress: progress)
    await context?.perform { context?.mergeCommits() }
  }

  /// The same by identifier and name.
  public func fetchAsset(
    of object: ManagedObjectID, _ name: String, progress: Progress = Progress(totalUnitCount: 0)
  ) async throws {
    let place = try place(object, name)
    switch try await value(at: place) {
    case .data(let data):
      if let asset = CloudAsset(placeholder: data) {
        try await fetch(asset, for: [place], progress)
      } else {
        try await write { try Self.touch(place, in: $0) }
      }
    case .string(let name):
      guard let asset = CloudAsset(fileName: name) else {
        throw CloudError(
          .notFound, message: "“\(name)” is no name that addAsset has given to a file.")
      }
      try await fetch(asset, named: name, progress)
    case nil:
      throw CloudError(.notFound, message: "\(object) is not there any more.")
    default: break
    }
    progress.end()
  }

  /// The attribute of an object; an error when its bytes are no file.
  func place(_ object: ManagedObjectID, _ name: String) throws -> AssetPlace {
    guard fields.rules(of: object.entity).assets[name] != nil,
      let slot = object.entity.property(named: name)?.slot
    else {
      throw CloudError(
        .unsupported,
        message: "\(object.entity.name).\(name) does not say cloud.asset in its user info.")
    }
    return AssetPlace(object: object, slot: slot)
  }

  // MARK: - One file

  /// Fetches bytes into rows.
  func fetch(_ asset: CloudAsset, for places: [AssetPlace], _ progress: Progress) async throws {
    try await signIn()
    try await files.downloads.run {
      var missing: [AssetPlace] = []
      for place in places {
        // Another call may have fetched it meanwhile.
        if case .data(let data)? = try await value(at: place),
          CloudAsset(placeholder: data) == asset
        {
          missing.append(place)
        }
      }
      guard !missing.isEmpty else { return }
      let places = missing
      let part = try await download(asset, progress)
      let data = try files.folder.working { try Data(contentsOf: part) }
      try await write { writing in
        for place in places { try Self.fill(place, data, asset, in: writing) }
      }
      try files.folder.working { try FileManager.default.removeItem(at: part) }
      files.setTransfer(asset.hash, nil)
      monitor.tell()
    }
  }

  /// Connects before the turn of the downloads is taken: a push holds its own when it takes that.
  private func signIn() async throws {
    if connections.withLock({ $0.isEmpty }) { _ = try await turn.run { try await connect() } }
  }

  /// Fetches a file into the folder.
  func fetch(_ asset: CloudAsset, named name: String, _ progress: Progress) async throws {
    try await signIn()
    try await files.downloads.run {
      if files.folder.has(name) { return files.folder.touch(name) }
      try files.folder.place(try await download(asset, progress), as: name)
      files.setTransfer(asset.hash, nil)
      monitor.tell()
    }
  }

  /// Notes that bytes were asked for that are here.
  private static func touch(_ place: AssetPlace, in writing: CloudWriting) throws {
    let transaction = writing.transaction
    let object = place.object
    guard let record = try transaction.remoteRecord(of: object.row, object.entity) else { return }
    try transaction.touchRemoteBody(record.name, place.field, in: record.zone, at: now)
  }

  private static func fill(
    _ place: AssetPlace, _ data: Data, _ asset: CloudAsset, in writing: CloudWriting
  ) throws {
    let transaction = writing.transaction
    guard
      let row = try transaction.rows(place.object.entity, rows: [place.object.row]).first,
      case .data(let held) = row.values[place.slot], CloudAsset(placeholder: held) == asset
    else { return }
    try RowValueWriter(writing, row.entity).update(row.row, [(place.slot, .data(data))])
    guard let record = try transaction.remoteRecord(of: row.row, row.entity) else { return }
    try transaction.setRemoteBody(
      RemoteBody(
        zone: record.zone, record: record.name, field: place.field,
        stamp: record.stamp(of: place.field), hash: asset.hash, size: asset.size, used: now))
  }

  /// Brings the missing chunks of a file, one by one.
  ///
  /// - Returns: The whole file, under the name of a part. The caller holds the turn of the
  ///   downloads until it has taken the file away.
  @concurrent func download(_ asset: CloudAsset, _ progress: Progress) async throws -> URL {
    do {
      let part = try await downloadChunks(asset, progress)
      guard try files.folder.working({ try AssetFolder.asset(at: part) }) == asset else {
        try files.folder.working { try FileManager.default.removeItem(at: part) }
        throw Self.damaged
      }
      return part
    } catch {
      let state: CloudAssetState? =
        error is CancellationError ? nil : .failed((error as? CloudError)?.message ?? "\(error)")
      files.setTransfer(asset.hash, (error as? CloudError)?.isTemporary == true ? nil : state)
      monitor.tell()
      throw error
    }
  }

  private func downloadChunks(_ asset: CloudAsset, _ progress: Progress) async throws -> URL {
    files.setTransfer(asset.hash, .downloading(0))
    let (zone, file) = try await place(of: asset)
    let (handle, size) = try files.folder.openPart(of: asset, chunk: file.chunk)
    defer { try? handle.close() }
    progress.totalUnitCount = max(asset.size, 1)
    var next = Int((size + file.chunk - 1) / file.chunk)
    while next < file.count {
      let (offset, count) = file.range(of: next)
      progress.completedUnitCount = offset
      files.setTransfer(asset.hash, .downloading(Double(offset) / Double(asset.size)))
      monitor.tell()
      let record = try await find(
        file: ServedFile.name(asset, next), in: ServedFile.chunks(of: zone))
      guard let bytes = ServedFile.bytes(record, count: count) else { throw Self.damaged }
      try files.folder.working { try handle.write(contentsOf: bytes) }
      next += 1
    }
    return files.folder.part(of: asset)
  }

  /// The zone that has a file: shared zones have files of their own.
  private func place(of asset: CloudAsset) async throws -> (CloudZone, ServedFile) {
    for zone in [zone] + (try await sharedZones()) + (try await stoppedZones()) {
      let manifest = try await find(file: asset.hash, in: ServedFile.manifests(of: zone))
      if let file = ServedFile(manifest, of: asset) { return (zone, file) }
    }
    throw CloudError(
      .notFound, message: "The server has no file of the hash \(asset.hash) any more.")
  }

  private func find(file name: String, in zone: CloudZone) async throws -> CloudRecord? {
    do {
      return try await request { try await transport.record(name, in: zone) }
    } catch let error as CloudError where error.code == .zoneMissing {
      return nil
    }
  }

  private static let damaged = CloudError(
    .notFound,
    message:
      "The server's copy of the file is damaged. Set the attribute once more where the file is.")
}
