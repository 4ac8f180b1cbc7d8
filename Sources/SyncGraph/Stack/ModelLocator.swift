import Foundation
import SyncCore

/// Finds the files that belong to a model's name.
struct ModelLocator {
  let name: String
  let bundle: Bundle

  /// The name of the program, as bundles and executables have it.
  static var programName: String {
    Bundle.main.object(forInfoDictionaryKey: "CFBundleName") as? String
      ?? ProcessInfo.processInfo.processName
  }

  // MARK: - Where to look

  /// The bundle, and the folder of the program.
  private var folders: [URL] {
    var result: [URL] = []
    if let resources = bundle.resourceURL { result.append(resources) }
    result.append(bundle.bundleURL)
    if let program = Bundle.main.executableURL {
      result.append(program.deletingLastPathComponent())
    }
    return ModelLocator.unique(result)
  }

  /// The resources of the targets that the program was built of: a Swift package puts those of each
  /// into a bundle of its own, beside the program or among its resources.
  private var packageFolders: [URL] {
    let children = folders.flatMap { folder in
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
        ?? []
    }
    let bundles = children.filter { ["resources", "bundle"].contains($0.pathExtension) }
      .sortedByText(\.path)
    return ModelLocator.unique(bundles.map { Bundle(url: $0)?.resourceURL ?? $0 })
  }

  private static func unique(_ folders: [URL]) -> [URL] {
    var seen: Set<String> = []
    return folders.filter { seen.insert($0.standardizedFileURL.path).inserted }
  }

  // MARK: - The document

  private var names: [String] { ["momd", "xcdatamodeld", "xcdatamodel"].map { "\(name).\($0)" } }

  private func document(in folder: URL) -> URL? {
    names.map(folder.appendingPathComponent).first {
      FileManager.default.fileExists(atPath: $0.path)
    }
  }

  /// The model document: of the bundle or the folder of the program, else of the only package that
  /// has one, else of the current folder.
  ///
  /// - Throws: ``GraphError`` when there is none, or when several packages have one.
  func document() throws(GraphError) -> URL {
    let (own, packages) = (folders, packageFolders)
    if let found = own.lazy.compactMap(document).first { return found }
    let found = packages.compactMap(document)
    guard found.count < 2 else {
      throw GraphError(
        .modelNotFound,
        message: """
          Several packages have a model document “\(name)”: \(ModelLocator.list(found)). Say which one is \
          meant by its bundle: DataStack(modelName:bundle:), with .module in the package itself.
          """)
    }
    let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    if let found = found.first ?? document(in: here) { return found }
    throw GraphError(
      .modelNotFound,
      message: """
        There is no model document \(names.joined(separator: " or ")) in \
        \(ModelLocator.list(ModelLocator.unique(own + packages + [here]))). Put it into one of these folders, \
        or open the store with DataStack(model:store:).
        """)
  }

  private static func list(_ urls: [URL]) -> String {
    urls.map(\.standardizedFileURL.path).joined(separator: ", ")
  }

  // MARK: - The store

  /// Copies the store that comes with the program when there is none yet.
  func copyPreloadedStore(to url: URL) throws {
    let files = FileManager.default
    guard !files.fileExists(atPath: url.path) else { return }
    let places = (bundle.resourceURL.map { [$0] } ?? []) + packageFolders
    let preloaded = places.map { $0.appendingPathComponent("\(name).sqlite") }.first {
      $0.standardizedFileURL != url.standardizedFileURL && files.fileExists(atPath: $0.path)
    }
    if let preloaded { try DataStack.copyStore(from: preloaded, to: url) }
  }
}
