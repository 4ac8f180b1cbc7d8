public import Foundation
public import SyncCore
public import SyncGraph

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
    try export(with: Conventional(entityName), where: filter, sortedBy: keys, using: options)
  }

  /// The stored objects of an entity as JSON text.
  ///
  /// - Throws: as ``export(_:where:sortedBy:using:)``.
  public func exportData(
    _ entityName: String, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> Data {
    try exportData(with: Conventional(entityName), where: filter, sortedBy: keys, using: options)
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
    try export(
      with: Conventional(entityName), where: filter, sortedBy: keys, to: url, using: options)
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
    try export(
      with: Conventional(entityName), where: filter, sortedBy: keys, to: handle, using: options)
  }
}
