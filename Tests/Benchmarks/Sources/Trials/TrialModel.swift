import Foundation
import Measuring
import Subject
import SyncStack

/// The models of the payloads, and folders for stores of it.
enum TrialModel {
  static func users() throws -> ManagedObjectModel { try Models.of(.users) }

  /// Users, and documents with their tags and people.
  static func everything() throws -> ManagedObjectModel { try Models.of(.users, .documents) }
}

/// A folder for one trial, removed afterwards.
final class TrialFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "trials-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ name: String) -> URL { url.appending(path: name) }
}
