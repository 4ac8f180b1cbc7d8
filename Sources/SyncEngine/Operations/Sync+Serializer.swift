import Foundation
public import SyncCore
public import SyncGraph

extension Sync {
  /// Makes a sync of a payload whose mapping was written by hand. Everything that a ``Sync`` offers works as with
  /// conventional mapping. Items that come again are passed over where no closure says a part of the mapping: closures
  /// may answer differently the next time.
  ///
  /// - Parameters:
  ///   - payload: The JSON: bytes, a file, a tree, dictionaries or encodable values.
  ///   - source: A ``Serializer``, or ``Conventional`` mapping. What is wrong with it is reported when the sync runs.
  ///   - dataStack: The stack to sync; kept alive until the operation goes.
  ///   - path: Leads to the list inside the document, as in `data.items`; see ``Sync/path``.
  public convenience init(
    _ payload: SyncPayload, with source: some PlanSource, dataStack: DataStack,
    at path: JSONPath? = nil
  ) {
    self.init(
      .payload(payload), inEntityNamed: source.mappingSource.entityName, dataStack: dataStack,
      at: path)
    self.source = source
  }

  /// Makes a sync, set up for use.
  convenience init(
    changes: some SyncPayloadConvertible, with source: any PlanSource, predicate: Filter?,
    parent: ManagedObject?, parentRelationship: (any RelationshipNameConvertible)?,
    context: ManagedObjectContext? = nil, dataStack: DataStack, operations: SyncOperations,
    at path: JSONPath? = nil
  ) {
    self.init(
      changes: changes, inEntityNamed: source.mappingSource.entityName, predicate: predicate,
      parent: parent, parentRelationship: parentRelationship, context: context,
      dataStack: dataStack, operations: operations)
    self.source = source
    self.path = path
  }
}
