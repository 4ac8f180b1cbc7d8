public import Foundation
public import SyncCore
public import SyncGraph

/// Export of what a context sees, unsaved changes included. For stores that are large use
/// ``DataStack/export(_:where:sortedBy:to:using:)-(_,_,_,URL,_)``, which makes no objects.
extension ManagedObjectContext {
  /// The objects of an entity as a JSON array.
  ///
  /// - Throws: ``ModelError`` when there is no such entity, ``FilterError`` for mistakes in filter or
  ///   order, ``ExportError`` when a transformer refuses a value.
  public func export(
    _ entityName: String, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    try export(with: Conventional(entityName), where: filter, sortedBy: keys, using: options)
  }

  /// The objects of a fetch as a JSON array, in its order.
  ///
  /// - Throws: as ``export(_:where:sortedBy:using:)``.
  public func export<Object: ManagedObject>(
    _ request: Fetch<Object>, using options: ExportOptions = ExportOptions()
  ) throws -> JSONValue {
    var exporter = Exporter(ExportPlan(options: options, plans: exportPlans), ObjectSource())
    return .array(try fetch(request).map { try exporter.export($0) })
  }

  /// The objects of an entity as JSON text.
  ///
  /// - Throws: as ``export(_:where:sortedBy:using:)``.
  public func exportData(
    _ entityName: String, where filter: Filter? = nil, sortedBy keys: [SortKey] = [],
    using options: ExportOptions = ExportOptions()
  ) throws -> Data {
    try exportData(with: Conventional(entityName), where: filter, sortedBy: keys, using: options)
  }
}

extension ExportWriter {
  /// All that a closure writes, as data.
  static func data(
    _ options: ExportOptions, _ body: (inout ExportWriter) throws -> Void
  ) throws -> Data {
    let pieces = Pieces()
    var writer = ExportWriter(options) { pieces.data.append($0) }
    try body(&writer)
    try writer.finish()
    return pieces.data
  }

  /// Collects the pieces of a text. Confined to the call that made it.
  private final class Pieces {
    var data = Data()
  }
}
