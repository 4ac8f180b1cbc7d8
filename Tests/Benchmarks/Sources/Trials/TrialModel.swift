import Foundation
import SyncStack

/// The models of the payloads, and folders for stores of it.
enum TrialModel {
  static func users() throws -> ManagedObjectModel {
    try ManagedObjectModel([user, note])
  }

  /// Users, and documents with their tags and people.
  static func everything() throws -> ManagedObjectModel {
    try ManagedObjectModel([user, note, document, tag, person])
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

  private static let document = EntityDraft(
    "Document",
    [
      .attribute("id", .integer64), .attribute("title", .string), .attribute("body", .string),
      .attribute("createdAt", .date), .attribute("pages", .integer32),
      .toMany("tags", to: "Tag", inverse: "documents"),
      .toMany("people", to: "Person", inverse: "documents"),
    ])

  private static let tag = EntityDraft(
    "Tag",
    [
      .attribute("id", .integer64), .attribute("name", .string),
      .toMany("documents", to: "Document", inverse: "tags"),
    ])

  private static let person = EntityDraft(
    "Person",
    [
      .attribute("id", .integer64), .attribute("name", .string),
      .toMany("documents", to: "Document", inverse: "people"),
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
