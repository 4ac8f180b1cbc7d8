public import Foundation
public import SyncCore

extension DataStack {
  /// What kind of store a stack makes.
  public enum StoreType: Int, Sendable, Hashable {
    case inMemory = 0
    case sqLite = 1
  }

  /// Opens the store of the model that is named like the program.
  ///
  /// - Throws: as ``init(modelName:bundle:storeType:storeName:containerURL:)``.
  public convenience init() throws {
    try self.init(modelName: ModelLocator.programName)
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
  ///   - tracksChanges: Whether the store keeps a history of its commits, so that local edits can be
  ///     sent and syncs leave those alone that were not.
  /// - Throws: ``GraphError`` that lists the places where the model was looked for, ``ModelError``
  ///   when it is malformed, `StoreError` when the store cannot be opened.
  public convenience init(
    modelName: String, bundle: Bundle = .main, storeType: StoreType = .sqLite,
    storeName: String? = nil, containerURL: URL? = nil, classes: [ManagedObject.Type] = [],
    tracksChanges: Bool = false
  ) throws {
    let locator = ModelLocator(name: modelName, bundle: bundle)
    let model = try ManagedObjectModel(contentsOf: locator.document())
    switch storeType {
    case .inMemory:
      try self.init(
        model: model, store: .inMemory, classes: classes, tracksChanges: tracksChanges)
    case .sqLite:
      let folder = try containerURL ?? FileManager.default.makeSQLiteDirectory()
      let url = folder.appendingPathComponent("\(storeName ?? modelName).sqlite")
      try locator.copyPreloadedStore(to: url)
      try self.init(
        model: model, store: .sqlite(url), classes: classes, tracksChanges: tracksChanges)
      StoreBackup.exclude(url)
    }
  }

  /// Opens the store of a model; a file is named like the program and lies in
  /// `FileManager.sqliteDirectoryURL`.
  ///
  /// - Throws: `StoreError` when the store cannot be opened, ``GraphError`` when a class does not fit.
  public convenience init(
    model: ManagedObjectModel, storeType: StoreType, classes: [ManagedObject.Type] = []
  ) throws {
    switch storeType {
    case .inMemory:
      try self.init(model: model, store: .inMemory, classes: classes)
    case .sqLite:
      let folder = try FileManager.default.makeSQLiteDirectory()
      let url = folder.appendingPathComponent("\(ModelLocator.programName).sqlite")
      try self.init(model: model, store: .sqlite(url), classes: classes)
      StoreBackup.exclude(url)
    }
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
