public import Foundation
public import SyncCore
public import SyncGraph
import SyncStore

/// Export of stored rows, without making objects.
///
/// ```swift
/// try stack.export("User", where: "age >= 18", to: URL(filePath: "adults.json"))
/// ```
///
/// With a source, a ``Serializer``, values are put where its rules find them, nested serializers
/// included, so that the same serializer reads the JSON again and changes nothing. Of the stored
/// objects those are written that meet its groupers. The inflection of the options, and their form
/// of nested objects, mean nothing where a rule gives the path.
///
/// All of it is from one state of the store. The calls run on the caller's thread, from any queue,
/// and end with a `CancellationError` when the task they run in is cancelled. Objects come in the
/// order of insertion unless another one is asked for, their keys in a fixed order, so equal stores
/// give equal files.
extension DataStack {
  /// The stored objects of an entity as a JSON array.
  ///
  /// - Throws: ``ModelError`` when there is no such entity, ``FilterError`` for mistakes in filter
  ///   or order, ``ExportError``, `StoreError`.
  public func export(
    _ entityName: String, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    try export(with: Conventional(entityName), where: filter, sortedBy: keys, using: options)
  }

  /// Writes the stored objects of an entity to a file, in bounded memory. The file appears when it
  /// is complete; an earlier one stays when something goes wrong.
  ///
  /// - Returns: how many objects were written, nested ones not counted.
  /// - Throws: as ``export(_:where:sortedBy:using:)``; ``ExportError`` when the file cannot be
  ///   made.
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

  // MARK: - Through mapping that was written by hand

  /// The stored objects that a serializer describes as a JSON array.
  ///
  /// - Throws: ``MappingError`` when the serializer does not fit the model; ``ExportError``, with
  ///   entity, property and path, when a rule of it has no way back; ``FilterError`` for mistakes
  ///   in filter or order; `StoreError`.
  public func export(
    with source: some PlanSource, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    var objects: [JSONValue] = []
    try forEach(source, filter, keys, options) { objects.append($0) }
    return .array(objects)
  }

  /// Writes the stored objects that a serializer describes to a file, in bounded memory. The file
  /// appears when it is complete; an earlier one stays when something goes wrong.
  ///
  /// - Returns: how many objects were written, nested ones not counted.
  /// - Throws: as ``export(with:where:sortedBy:using:)``; ``ExportError`` when the file cannot be
  ///   made.
  @discardableResult
  public func export(
    with source: some PlanSource, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    to url: URL, using options: ExportOptions = ExportOptions()
  ) throws -> Int {
    try ExportFile.replace(url) { handle in
      try export(with: source, where: filter, sortedBy: keys, to: handle, using: options)
    }
  }

  /// Writes the stored objects that a serializer describes to a handle, in bounded memory. The
  /// handle stays open.
  ///
  /// - Returns: how many objects were written, nested ones not counted.
  /// - Throws: as ``export(with:where:sortedBy:using:)``.
  @discardableResult
  public func export(
    with source: some PlanSource, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    to handle: FileHandle, using options: ExportOptions = ExportOptions()
  ) throws -> Int {
    var writer = ExportWriter(options) { try handle.write(contentsOf: $0) }
    let count = try forEach(source, filter, keys, options) { try writer.write($0) }
    try writer.finish()
    return count
  }

  @discardableResult
  private func forEach(
    _ source: some PlanSource, _ filter: Filter?, _ keys: [SortKey], _ options: ExportOptions,
    _ body: (JSONValue) throws -> Void
  ) throws -> Int {
    let mapping = source.mappingSource
    let request = FetchPlan(
      entity: try model.requireEntity(named: mapping.entityName),
      filter: mapping.filter(and: filter), sort: keys)
    return try StoreExport(try store, plans: mappingPlans, options: options, source: source)
      .forEach(request, body)
  }
}
