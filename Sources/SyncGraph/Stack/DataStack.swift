public import Foundation
public import SyncCore
public import SyncStore

/// A model, a store, and the contexts over it.
///
/// ```swift
/// let stack = try DataStack(modelName: "Demo")
/// let stack = try DataStack(model: ManagedObjectModel(User.self, Note.self), store: .inMemory)
/// ```
public final class DataStack: Sendable {
  /// Where the data are kept.
  public enum Location: Sendable, Hashable {
    /// In a SQLite file. Opening makes folders that are missing.
    case sqlite(URL)
    /// In memory, as long as the stack or one of its contexts lives.
    case inMemory
  }

  let core: StackCore

  /// The context of the main queue. Store values win conflicts, property by property.
  ///
  /// Its ``ManagedObjectContext/mergePolicy`` is ``MergePolicy/storeWinsPerProperty``: a save drops
  /// an edit of a property that was changed elsewhere too, and returns it
  /// (``SaveResult/overruled``).
  public let mainContext: ManagedObjectContext

  /// The serial queue for the syncs of this stack.
  public let syncQueue: OperationQueue

  /// Opens a store, and makes it when there is none.
  ///
  /// - Parameter classes: Classes that stand for entities of the model by name. Those that a model
  ///   was made of, and those that a model document names, are known already; others are also found
  ///   when they are first mentioned, as in `insert(User.self)`.
  /// - Parameter migration: The policy for a file that was made with another model. Unless refused,
  ///   it is copied to `<file>.backup-<version hash>` beside it and then brought to the new model,
  ///   where that can be inferred (``StoreMigration``).
  /// - Parameter tracksChanges: Whether the store keeps a history of its commits, for
  ///   ``pendingChanges(for:since:)`` and so that syncs leave alone edits made here and not sent
  ///   yet. A store that has one keeps it, under either value, until ``stopTrackingChanges()``.
  /// - Parameter history: The content of the history: with `.values` also what objects were before
  ///   each commit, so that commits can be taken back. It tracks changes too. Nil leaves it to the
  ///   store, which goes on as before.
  /// - Parameter transformers: Where attributes find the transformers that the model names.
  /// - Parameter busyTimeout: How long reads and writes wait for another process or stack that
  ///   holds the file, in seconds, before they throw `StoreError` with the code `busy`; 5 unless
  ///   given, 0 does not wait.
  /// - Parameter readOnly: Whether the stack only reads, as widgets and extensions do beside the
  ///   app that writes. It neither makes the file nor migrates it, and hears of the commits of
  ///   others; saves and syncs throw `StoreError` with the code `readOnly`.
  /// - Parameter durability: Which commits outlive a power cut; with `.full` every one that
  ///   returned. A setting of this stack, not of the file.
  /// - Throws: `StoreError` that says why the store cannot be opened, and for a file of another
  ///   model everything that is in the way, with the file untouched; ``GraphError`` when a class
  ///   does not fit its entity.
  public convenience init(
    model: ManagedObjectModel, store location: Location, classes: [ManagedObject.Type] = [],
    migration: MigrationPolicy = .automatic, tracksChanges: Bool = false,
    history: HistoryContent? = nil, transformers: TransformerRegistry = .shared,
    busyTimeout: TimeInterval = 5, readOnly: Bool = false, durability: StoreDurability = .normal
  ) throws {
    var configuration: Store.Configuration
    switch location {
    case .sqlite(let url): configuration = .init(.file(url))
    case .inMemory: configuration = .init(.memory)
    }
    configuration.migration = migration
    configuration.keepsHistory = tracksChanges || history != nil
    configuration.formerValues = history?.limits
    configuration.busyTimeout = busyTimeout
    configuration.isReadOnly = readOnly
    configuration.durability = durability
    try self.init(
      model: model, configuration: configuration, classes: classes, transformers: transformers)
  }

  /// Opens a store with settings of its own.
  package init(
    model: ManagedObjectModel, configuration: Store.Configuration,
    classes: [ManagedObject.Type] = [], transformers: TransformerRegistry = .shared
  ) throws {
    core = try StackCore(model, configuration, classes: classes, transformers: transformers)
    mainContext = core.makeContext(.main, .init(name: "main", mergePolicy: .storeWinsPerProperty))
    syncQueue = OperationQueue()
    syncQueue.name = "SyncStack.sync"
    syncQueue.maxConcurrentOperationCount = 1
    core.stack = self
  }

  deinit {
    core.streams.finish()
  }

  /// The context of the main queue, by its other name.
  public var viewContext: ManagedObjectContext { mainContext }

  /// The model of the store.
  public var model: ManagedObjectModel { core.model }

  /// The transformers that attributes of the model name; ``TransformerRegistry/shared`` unless the
  /// stack was given others.
  public var transformers: TransformerRegistry { core.transformers }

  /// The types that classes declare for attributes.
  package var declaredTypes: DeclaredTypes { core.classes.declaredTypes }

  /// The file of the store; nil for one in memory.
  public var storeURL: URL? {
    if case .file(let url) = core.configuration.location { url } else { nil }
  }

  /// The store, for code that works on rows. Ask anew each time: `drop()` exchanges it.
  ///
  /// - Throws: `StoreError` when the stack was closed.
  package var store: Store {
    get throws { try core.store() }
  }

  /// For readers of the values that commits change.
  package var valueDemand: ValueDemand { core.configuration.values }

  /// The queue on which observers are told, in order.
  package var delivery: DeliveryQueue { core.delivery }
}
