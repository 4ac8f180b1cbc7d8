public import Foundation
public import SyncCore
public import SyncGraph
import SyncStore

/// Export of what is stored, without making objects.
///
/// ```swift
/// try stack.export("User", where: "age >= 18", to: URL(filePath: "adults.json"))
/// ```
///
/// All of it is from one state of the store. The calls run on the caller's thread, from any queue, and
/// end with a `CancellationError` when the task they run in is cancelled. Objects come in the order of
/// insertion unless another one is asked for, their keys in a fixed order, so equal stores give equal
/// files.
extension DataStack {
  /// The stored objects of an entity as a JSON array.
  ///
  /// - Throws: ``ModelError`` when there is no such entity, ``FilterError`` for mistakes in filter or
  ///   order, ``ExportError``, `StoreError`.
  public func export(
    _ entityName: String, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    var objects: [JSONValue] = []
    try storeExport(options).forEach(request(entityName, filter, keys)) {
      objects.append($0)
    }
    return .array(objects)
  }

  /// The stored objects of an entity as JSON text.
  ///
  /// - Throws: as ``export(_:where:sortedBy:using:)``.
  public func exportData(
    _ entityName: String, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> Data {
    try ExportWriter.data(options) { writer in
      try storeExport(options).forEach(request(entityName, filter, keys)) { try writer.write($0) }
    }
  }

  /// Writes the stored objects of an entity to a file, in bounded memory. The file appears when it is
  /// complete; an earlier one stays when something goes wrong.
  ///
  /// - Returns: how many objects were written, nested ones not counted.
  /// - Throws: as ``export(_:where:sortedBy:using:)``; ``ExportError`` when the file cannot be made.
  @discardableResult
  public func export(
    _ entityName: String, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    to url: URL, using options: ExportOptions = ExportOptions()
  ) throws -> Int {
    try ExportFile.replace(url) { handle in
      try export(entityName, where: filter, sortedBy: keys, to: handle, using: options)
    }
  }

  /// Writes the stored objects of an entity to a handle, in bounded memory. The handle stays open.
  ///
  /// - Returns: how many objects were written, nested ones not counted.
  /// - Throws: as ``export(_:where:sortedBy:using:)``.
  @discardableResult
  public func export(
    _ entityName: String, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    to handle: FileHandle, using options: ExportOptions = ExportOptions()
  ) throws -> Int {
    var writer = ExportWriter(options) { try handle.write(contentsOf: $0) }
    let count = try storeExport(options).forEach(request(entityName, filter, keys)) {
      try writer.write($0)
    }
    try writer.finish()
    return count
  }

  private func storeExport(_ options: ExportOptions) throws -> StoreExport {
    StoreExport(try store, plans: mappingPlans, options: options)
  }

  private func request(
    _ entityName: String, _ filter: Filter?, _ keys: [SortKey]
  ) throws -> FetchPlan {
    FetchPlan(entity: try model.requireEntity(named: entityName), filter: filter, sort: keys)
  }
}
