public import Foundation

/// A model document on disk: a versioned folder (`.xcdatamodeld`), one version (`.xcdatamodel`), or
/// the XML file inside it.
package struct ModelDocument: Sendable {
  /// The XML of the version that counts.
  package let data: Data

  /// The name of the document in messages.
  package let name: String

  /// Finds the current version and reads its XML.
  ///
  /// - Throws: ``ModelError`` when there is nothing at the place, or no one version to choose.
  package init(contentsOf url: URL) throws(ModelError) {
    var isFolder = ModelDocument.isFolder(url)
    var version = url
    var name = url.lastPathComponent
    guard let found = isFolder else {
      throw ModelError(
        .documentNotFound,
        message: FileManager.default.isForbidden(url.path)
          ? "The model at \(url.path) cannot be read: this user may not enter its folder."
          : "There is no model at \(url.path). Check the path of the document.")
    }
    if found, url.pathExtension == "xcdatamodeld" {
      version = try ModelDocument.currentVersion(of: url)
      isFolder = ModelDocument.isFolder(version)
      name += "/\(version.lastPathComponent)"
    }
    guard !["mom", "momd", "omo"].contains(version.pathExtension) else {
      throw ModelError(
        .unsupported,
        message: """
          \(name) is a compiled model, which only Core Data can read. Give the .xcdatamodeld that \
          it was compiled from.
          """)
    }
    let isWhole = isFolder == true
    let contents = isWhole ? version.appendingPathComponent("contents") : version
    self.name = isWhole ? "\(name)/contents" : name
    data = try ModelDocument.read(contents, name: self.name)
  }

  private static func read(_ url: URL, name: String) throws(ModelError) -> Data {
    guard isFolder(url) == false else {
      throw ModelError(
        .documentNotFound,
        message: """
          There is no file \(name). A model document is a folder with the XML of the model in a \
          file “contents”.
          """)
    }
    do {
      return try Data(contentsOf: url)
    } catch {
      throw ModelError(
        .documentNotFound,
        message: "\(name) cannot be read: \(error.localizedDescription). Check its permissions.")
    }
  }

  /// Returns whether there is a folder, or nil when there is nothing.
  private static func isFolder(_ url: URL) -> Bool? {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
      return nil
    }
    return isDirectory.boolValue
  }

  // MARK: - Versions

  private static func currentVersion(of url: URL) throws(ModelError) -> URL {
    let folder = url.lastPathComponent
    let versions = versionNames(in: url)
    let list = versions.joined(separator: ", ")
    guard let only = versions.first else {
      throw ModelError(
        .documentNotFound,
        message: "\(folder) contains no version of a model: no .xcdatamodel is in it.")
    }
    let pointer = url.appendingPathComponent(".xccurrentversion")
    guard isFolder(pointer) != nil else {
      guard versions.count == 1 else {
        throw ModelError(
          .documentNotFound,
          message: """
            \(folder) has several versions and no .xccurrentversion that says which of them counts: \
            \(list). Give the path of one of them.
            """)
      }
      return url.appendingPathComponent(only)
    }
    let name = "\(folder)/.xccurrentversion"
    let current = try currentName(try read(pointer, name: name), name: name)
    guard versions.contains(current) else {
      throw ModelError(
        .documentNotFound,
        message: """
          \(name) names “\(current)”, which is not in \(folder). It has \(list). Name one of these.
          """)
    }
    return url.appendingPathComponent(current)
  }

  private static func versionNames(in url: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return names.filter { $0.hasSuffix(".xcdatamodel") }.sorted()
  }

  /// Reads the property list `<plist><dict><key>_XCCurrentVersionName</key><string>…`.
  private static func currentName(_ data: Data, name: String) throws(ModelError) -> String {
    let root: MarkupElement
    do {
      root = try XMLReader.read(data, allowsDocumentType: true)
    } catch {
      throw ModelError(.malformedDocument, message: "\(name), \(error.place): \(error.message)")
    }
    let entries = root.name == "plist" ? root.children.first { $0.name == "dict" }?.children : nil
    let key = entries?.firstIndex { $0.name == "key" && $0.text == "_XCCurrentVersionName" }
    guard let entries, let key, key + 1 < entries.count, entries[key + 1].name == "string" else {
      throw ModelError(
        .malformedDocument,
        message: """
          \(name) does not say which version counts. It must be a property list with the key \
          _XCCurrentVersionName.
          """)
    }
    return entries[key + 1].text
  }
}

extension ManagedObjectModel {
  /// Reads a model document: a `.xcdatamodeld` (its current version), a `.xcdatamodel`, or the XML
  /// file inside it.
  ///
  /// - Throws: ``ModelError`` when there is none, when it is malformed (with line and column), when
  ///   it asks for a feature that would change the stored form and is not supported, and when it is
  ///   contradictory (with entity and property).
  public convenience init(contentsOf url: URL) throws(ModelError) {
    let document = try ModelDocument(contentsOf: url)
    try self.init(xml: document.data, documentName: document.name)
  }

  /// Reads the XML of a model document.
  ///
  /// - Throws: ``ModelError`` as for a document on disk.
  public convenience init(xml: Data) throws(ModelError) {
    try self.init(xml: xml, documentName: "The model document")
  }

  convenience init(xml: Data, documentName: String) throws(ModelError) {
    let builder = try ModelFileReader(document: documentName).builder(xml)
    self.init(validated: try builder.records(), versionIdentifier: builder.versionIdentifier)
  }
}
