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
    self.init(.payload(payload), with: source, dataStack: dataStack)
    self.path = path
  }

  /// Makes a sync of what a source describes, set up for use.
  convenience init(
    _ work: SyncWork, with source: any PlanSource, context: ManagedObjectContext? = nil,
    dataStack: DataStack, _ setup: SyncSetup = SyncSetup()
  ) {
    self.init(
      work, inEntityNamed: source.mappingSource.entityName, dataStack: dataStack,
      context: context, source: source, setup)
  }
}
