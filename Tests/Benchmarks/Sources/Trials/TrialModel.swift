import Foundation
import SyncStack

/// The model of the users payload, and folders for stores of it.
enum TrialModel {
  static func users() throws -> ManagedObjectModel {
    try ManagedObjectModel([user, note])
  }

  private static let user = EntityDraft(
    "User",
    [
      .attribute("id", .integer64), .attribute("name", .string), .attribute("email", .string),
      .attribute("phone", .string), .attribute("city", .string), .attribute("bio", .string),
      .attribute("createdAt", .date), .attribute("updatedAt", .date),
      .attribute("score", .double), .attribute("isActive", .boolean),
      .toMany("notes", to: "Note", inverse: "user", deleteRule: .cascade),
    ])

  private static let note = EntityDraft(
    "Note",
    [
      .attribute("id", .integer64), .attribute("text", .string), .attribute("createdAt", .date),
      .toOne("user", to: "User", inverse: "notes"),
    ])
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
