public import Foundation
public import SyncCore
public import SyncStore

extension DataStack {
  /// The kind of store that a stack makes.
  public enum StoreType: Int, Sendable, Hashable {
    /// A store that goes with its stack.
    case inMemory = 0
    /// A SQLite file.
    case sqLite = 1
  }

  /// Opens the store of the model that is named like the program.
  ///
  /// The parameters are those of the initialiser that takes a model and a location.
  ///
  /// - Throws: as
  ///   ``init(modelName:bundle:storeType:storeName:containerURL:classes:migration:tracksChanges:history:transformers:readOnly:durability:)``.
  public convenience init(
    migration: MigrationPolicy = .automatic, tracksChanges: Bool = false,
    history: HistoryContent? = nil, transformers: TransformerRegistry = .shared
  ) throws {
    try self.init(
      modelName: ModelLocator.programName, migration: migration, tracksChanges: tracksChanges,
      history: history, transformers: transformers)
  }

  /// Finds a model document by name and opens its store.
  ///
  /// The document `<modelName>.momd`, `.xcdatamodeld` or `.xcdatamodel` is looked for among the
  /// bundle's resources, beside the program, among the resources of the Swift packages that it was
  /// built of, and in the working directory. When there is no store yet and `<modelName>.sqlite`
  /// lies among the resources, it is copied first.
  ///
  /// - Parameters:
  ///   - bundle: Where to look for the model; the main bundle unless given.
  ///   - storeName: File name without extension; the name of the model unless given.
  ///   - containerURL: Folder of the file; `FileManager.sqliteDirectoryURL` unless given.
  ///   - classes: Classes that stand for entities by name.
  ///   - migration: The policy for a file that was made with another model.
  ///   - tracksChanges: Whether the store keeps a history of its commits, so that local edits can
  ///     be sent and syncs leave those alone that were not.
  ///   - history: The content of the history: with `.values` commits can be taken back.
  ///   - transformers: Where attributes find the transformers that the model names.
  ///   - readOnly: Whether the stack only reads a store that is there.
  ///   - durability: Which commits outlive a power cut; with `.full` every one that returned.
  /// - Throws: ``GraphError`` that lists the places where the model was looked for, or the packages
  ///   when several have one, ``ModelError`` when it is malformed, `StoreError` when the store
  ///   cannot be opened.
  public convenience init(
    modelName: String, bundle: Bundle = .main, storeType: StoreType = .sqLite,
    storeName: String? = nil, containerURL: URL? = nil, classes: [ManagedObject.Type] = [],
    migration: MigrationPolicy = .automatic, tracksChanges: Bool = false,
    history: HistoryContent? = nil, transformers: TransformerRegistry = .shared,
    readOnly: Bool = false, durability: StoreDurability = .normal
  ) throws {
    let locator = ModelLocator(name: modelName, bundle: bundle)
    let model = try ManagedObjectModel(contentsOf: locator.document())
    var location = Location.inMemory
    if storeType == .sqLite {
      let folder = containerURL ?? FileManager.sqliteDirectoryURL
      let url = folder.appendingPathComponent("\(storeName ?? modelName).sqlite")
      if !readOnly { try locator.copyPreloadedStore(to: url) }
      location = .sqlite(url)
    }
    try self.init(
      model: model, store: location, classes: classes, migration: migration,
      tracksChanges: tracksChanges, history: history, transformers: transformers,
      readOnly: readOnly, durability: durability)
    if !readOnly, case .sqlite(let url) = location { BackupExclusion.exclude(url) }
  }

  /// Opens the store of a model; a file is named like the program and lies in
  /// `FileManager.sqliteDirectoryURL`.
  ///
  /// The other parameters are those of the initialiser that takes a location.
  ///
  /// - Throws: `StoreError` when the store cannot be opened, ``GraphError`` when a class does not
  ///   fit.
  public convenience init(
    model: ManagedObjectModel, storeType: StoreType, classes: [ManagedObject.Type] = [],
    migration: MigrationPolicy = .automatic, tracksChanges: Bool = false,
    history: HistoryContent? = nil, transformers: TransformerRegistry = .shared
  ) throws {
    var location = Location.inMemory
    if storeType == .sqLite {
      let folder = FileManager.sqliteDirectoryURL
      location = .sqlite(folder.appendingPathComponent("\(ModelLocator.programName).sqlite"))
    }
    try self.init(
      model: model, store: location, classes: classes, migration: migration,
      tracksChanges: tracksChanges, history: history, transformers: transformers)
    if case .sqlite(let url) = location { BackupExclusion.exclude(url) }
  }
}

extension FileManager {
  /// Where stores lie unless a program says otherwise: the user's documents, the caches on systems
  /// that have no documents.
  public static var sqliteDirectoryURL: URL {
    #if os(tvOS)
      let places: [SearchPathDirectory] = [.cachesDirectory]
    #else
      let places: [SearchPathDirectory] = [.documentDirectory, .cachesDirectory]
    #endif
    let found = places.lazy.compactMap {
      FileManager.default.urls(for: $0, in: .userDomainMask).first
    }
    return found.first ?? URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
  }
}
