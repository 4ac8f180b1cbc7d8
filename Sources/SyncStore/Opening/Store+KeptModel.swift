package import Foundation
package import SyncCore

extension Store {
  /// The model that the store at a place was last opened with: so that the store can be looked at
  /// by somebody who does not have the model.
  ///
  /// - Throws: ``StoreError`` when there is no store, or something else in its place.
  package static func keptModel(at url: URL) throws -> ManagedObjectModel {
    let files = StoreFiles(.file(url))
    let path = files.path
    guard FileManager.default.fileExists(atPath: path) else {
      throw StoreError(
        .cannotOpen, message: "There is no store at \(path). Check the path.")
    }
    if let obstacle = files.obstacle() { throw obstacle }
    do {
      let connection = try Connection(
        path: path, options: Connection.Options(mode: try ReadOnlyFile(path).mode()),
        recorder: StatementRecorder())
      defer { connection.close() }
      let metadata = Metadata(connection: connection)
      guard try metadata.kind() == .store, let text = try metadata.text(.document) else {
        throw StoreError(
          .notAStore,
          message: "\(path) is a SQLite database that was not made by SyncStack. Give another path."
        )
      }
      return try ManagedObjectModel(storageDescription: text)
    } catch let error as StoreError {
      throw error.at(path)
    }
  }
}
