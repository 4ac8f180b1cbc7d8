public import Foundation

extension ManagedObjectModel {
  /// Reads a model document: a `.xcdatamodeld` (its current version), a `.xcdatamodel`, or the XML
  /// file inside it.
  ///
  /// - Throws: ``ModelError`` when there is none, when it is malformed (with line and column), when
  ///   it asks for something that would change what is stored and is not supported, and when what
  ///   it says is contradictory (with entity and property).
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
    self.init(
      validated: try builder.records(), versionIdentifier: builder.versionIdentifier)
  }
}
