public import Foundation
public import SyncCore
public import SyncStore

extension DataStack {
  /// What kind of store a stack makes.
  public enum StoreType: Int, Sendable, Hashable {
    case inMemory = 0
    case sqLite = 1
  }

  /// Opens the store of the model that is named like the program.
  ///
  /// The parameters are those of ``init(model:store:classes:migration:tracksChanges:transformers:busyTimeout:)``.
  ///
  /// - Throws: as
  ///   ``init(modelName:bundle:storeType:storeName:containerURL:classes:migration:tracksChanges:transformers:)``.
  public convenience init(
    migration: MigrationPolicy = .automatic, tracksChanges: Bool = false,
    transformers: TransformerRegistry = .shared
  ) throws {
    try self.init(
      modelName: ModelLocator.programName, migration: migration, tracksChanges: tracksChanges,
      transformers: transformers)
  }

  /// Finds a model document by name and opens its store.
  ///
  /// The document `<modelName>.momd`, `.xcdatamodeld` or `.xcdatamodel` is looked for among the
  /// bundle's resources, beside the program and in the working directory. When there is no store yet
  /// and `<modelName>.sqlite` lies among the resources, it is copied first.
  ///
  /// - Parameters:
  ///   - bundle: Where to look for the model; the main bundle unless given.
  ///   - storeName: File name without extension; the name of the model unless given.
  ///   - containerURL: Folder of the file; `FileManager.sqliteDirectoryURL` unless given.
  ///   - classes: Classes that stand for entities by name.
  ///   - migration: What happens to a file that was made with another model.
  ///   - tracksChanges: Whether the store keeps a history of its commits, so that local edits can be
  ///     sent and syncs leave those alone that were not.
  ///   - transformers: Where attributes find the transformers that the model names.
  /// - Throws: ``GraphError`` that lists the places where the model was looked for, ``ModelError``
  ///   when it is malformed, `StoreError` when the store cannot be opened.
  public convenience init(
    modelName: String, bundle: Bundle = .main, storeType: StoreType = .sqLite,
    storeName: String? = nil, containerURL: URL? = nil, classes: [ManagedObject.Type] = [],
    migration: MigrationPolicy = .automatic, tracksChanges: Bool = false,
    transformers: TransformerRegistry = .shared
  ) throws {
    let locator = ModelLocator(name: modelName, bundle: bundle)
    let model = try ManagedObjectModel(contentsOf: locator.document())
    var location = Location.inMemory
    if storeType == .sqLite {
      let folder = try containerURL ?? FileManager.default.makeSQLiteDirectory()
      let url = folder.appendingPathComponent("\(storeName ?? modelName).sqlite")
      try locator.copyPreloadedStore(to: url)
      location = .sqlite(url)
    }
    try self.init(
      model: model, store: location, classes: classes, migration: migration,
      tracksChanges: tracksChanges, transformers: transformers)
    if case .sqlite(let url) = location { StoreBackup.exclude(url) }
  }

  /// Opens the store of a model; a file is named like the program and lies in
  /// `FileManager.sqliteDirectoryURL`.
  ///
  /// The other parameters are those of
  /// ``init(model:store:classes:migration:tracksChanges:transformers:busyTimeout:)``.
  ///
  /// - Throws: `StoreError` when the store cannot be opened, ``GraphError`` when a class does not fit.
  public convenience init(
    model: ManagedObjectModel, storeType: StoreType, classes: [ManagedObject.Type] = [],
    migration: MigrationPolicy = .automatic, tracksChanges: Bool = false,
    transformers: TransformerRegistry = .shared
  ) throws {
    var location = Location.inMemory
    if storeType == .sqLite {
      let folder = try FileManager.default.makeSQLiteDirectory()
      location = .sqlite(
        folder.appendingPathComponent("\(ModelLocator.programName).sqlite"))
    }
    try self.init(
      model: model, store: location, classes: classes, migration: migration,
      tracksChanges: tracksChanges, transformers: transformers)
    if case .sqlite(let url) = location { StoreBackup.exclude(url) }
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

  /// The folder, made when it is not there yet.
  fileprivate func makeSQLiteDirectory() throws -> URL {
    let url = FileManager.sqliteDirectoryURL
    try createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }
}

/// Finds the files that belong to a model's name.
private struct ModelLocator {
  let name: String
  let bundle: Bundle

  /// The name of the program, as bundles and executables have it.
  static var programName: String {
    Bundle.main.object(forInfoDictionaryKey: "CFBundleName") as? String
      ?? ProcessInfo.processInfo.processName
  }

  /// The folders to look in, in order.
  private var folders: [URL] {
    var result: [URL] = []
    if let resources = bundle.resourceURL { result.append(resources) }
    result.append(bundle.bundleURL)
    if let program = Bundle.main.executableURL {
      result.append(program.deletingLastPathComponent())
    }
    result.append(URL(fileURLWithPath: FileManager.default.currentDirectoryPath))
    var seen: Set<String> = []
    return result.filter { seen.insert($0.standardizedFileURL.path).inserted }
  }

  func document() throws -> URL {
    let names = ["momd", "xcdatamodeld", "xcdatamodel"].map { "\(name).\($0)" }
    for folder in folders {
      for name in names {
        let url = folder.appendingPathComponent(name)
        if FileManager.default.fileExists(atPath: url.path) { return url }
      }
    }
    let places = folders.map(\.standardizedFileURL.path).joined(separator: ", ")
    throw GraphError(
      .modelNotFound,
      message: """
        There is no model document \(names.joined(separator: " or ")) in \(places). Put it into one of \
        these folders, or open the store with DataStack(model:store:).
        """)
  }

  /// Copies the store that comes with the program when there is none yet.
  func copyPreloadedStore(to url: URL) throws {
    let files = FileManager.default
    guard !files.fileExists(atPath: url.path), let resources = bundle.resourceURL else { return }
    let preloaded = resources.appendingPathComponent("\(name).sqlite")
    guard preloaded.standardizedFileURL != url.standardizedFileURL,
      files.fileExists(atPath: preloaded.path)
    else { return }
    try DataStack.copyStore(from: preloaded, to: url)
  }
}
