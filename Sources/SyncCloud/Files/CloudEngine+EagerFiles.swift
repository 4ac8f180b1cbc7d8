import Foundation
import SyncCore
import SyncStore

/// Files that come with pulls.
extension CloudEngine {
  /// Files that are to be here and are not.
  private struct Missing {
    /// Rows that hold a placeholder for bytes.
    var places: [CloudAsset: [AssetPlace]] = [:]
    var names: Set<String> = []
  }

  /// Fetches the files that are to come with pulls. The state of a file says why it cannot be had;
  /// the next engine on the store tries again.
  func fetchEagerAssets() async throws {
    guard fields.hasAssets, files.state.withLock({ $0.mayMiss }) else { return }
    files.state.withLock { $0.mayMiss = false }
    do {
      let missing = try await missingAssets()
      for (asset, places) in missing.places.sorted(by: { $0.key.hash < $1.key.hash }) {
        try await fetchEager(asset) {
          try await fetch(asset, for: places, Progress(totalUnitCount: 0))
        }
      }
      for name in missing.names.sorted() {
        guard let asset = CloudAsset(fileName: name) else { continue }
        try await fetchEager(asset) {
          try await fetch(asset, named: name, Progress(totalUnitCount: 0))
        }
      }
    } catch {
      files.state.withLock { $0.mayMiss = true }
      // The next pull goes on.
      guard let error = error as? CloudError, error.isTemporary else { throw error }
    }
  }

  private func fetchEager(_ asset: CloudAsset, _ fetch: () async throws -> Void) async throws {
    if case .failed? = files.transfer(asset.hash) { return }
    do {
      try await fetch()
    } catch let error as CloudError where error.code == .notFound || error.code == .file {}
  }

  private func missingAssets() async throws -> Missing {
    let (fields, folder) = (fields, files.folder)
    return try await read { reader in
      var missing = Missing()
      for entity in reader.model.entities {
        for (field, rule) in fields.rules(of: entity).assets where rule == .eager {
          guard let attribute = entity.property(named: field)?.attribute else { continue }
          if attribute.type == .string {
            try reader.scan(entity, .all, slots: [attribute.slot], isOrdered: false) { cursor in
              guard cursor.entity == entity, case .string(let name) = cursor.value(attribute.slot),
                CloudAsset(fileName: name) != nil, !folder.has(name)
              else { return }
              missing.names.insert(name)
            }
            continue
          }
          let rows = try reader.rows(
            of: entity, slot: attribute.slot, holding: CloudAsset.placeholderSize,
            from: CloudAsset.mark)
          try reader.scan(entity, .listed(rows), slots: [attribute.slot]) { cursor in
            guard case .data(let data) = cursor.value(attribute.slot),
              let asset = CloudAsset(placeholder: data)
            else { return }
            let object = ManagedObjectID(entity: entity, row: cursor.row)
            missing.places[asset, default: []].append(
              AssetPlace(object: object, slot: attribute.slot))
          }
        }
      }
      return missing
    }
  }
}
