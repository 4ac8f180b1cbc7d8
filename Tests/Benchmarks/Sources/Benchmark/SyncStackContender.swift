import Foundation
import Measuring
import SyncStack

/// SyncStack through what every user has: a stack, and a sync as an operation on its queue.
class SyncStackContender: Contender {
  private let stack: DataStack
  private let set: DataSet

  required init(path: String, set: DataSet) throws {
    self.set = set
    stack = try SyncStackContender.stack(path: path, set: set)
  }

  class var usesFingerprints: Bool { true }

  static func stack(path: String, set: DataSet) throws -> DataStack {
    try DataStack(
      model: try SyncStackContender.model(of: set), store: .sqlite(URL(filePath: path)))
  }

  func prepare(_ payloads: Payloads) throws {
    guard set == .documents else { return }
    _ = try sync(try payloads.load("tags"), "Tag")
    _ = try sync(try payloads.load("people"), "Person")
  }

  func sync(_ payload: UnsafeRawBufferPointer) throws -> Counts {
    try sync(payload, set == .users ? "User" : "Document")
  }

  func close() throws {
    try stack.close()
  }

  private func sync(_ payload: UnsafeRawBufferPointer, _ entity: String) throws -> Counts {
    guard let start = payload.baseAddress else { return Counts() }
    let data = Data(
      bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: payload.count,
      deallocator: .none)
    let sync = Sync(.data(data), inEntityNamed: entity, dataStack: stack)
    sync.usesFingerprints = Self.usesFingerprints
    stack.syncQueue.addOperations([sync], waitUntilFinished: true)
    guard let report = try sync.result?.get() else { return Counts() }
    // Tags and people whose documents changed are reported as updated, too; the rivals do not look.
    let counted =
      set == .users ? Array(report.entities.values) : [report.entities[entity]].compactMap(\.self)
    return counted.reduce(into: Counts()) { counts, entity in
      counts.inserted += entity.inserted
      counts.updated += entity.updated
      counts.deleted += entity.deleted
    }
  }

  private static func model(of set: DataSet) throws -> ManagedObjectModel {
    switch set {
    case .users: try ManagedObjectModel([user, note])
    case .documents: try ManagedObjectModel([document, tag, person])
    }
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

/// The same without fingerprints: every item is read and compared.
final class PlainSyncStackContender: SyncStackContender {
  override class var usesFingerprints: Bool { false }
}
