public import Foundation
public import Measuring
public import SyncStack

/// SyncStack as every program uses it: a stack, and a sync as an operation on its queue.
public class SyncStackContender: Contender {
  private let stack: DataStack
  private let set: DataSet

  public required init(path: String, set: DataSet) throws {
    self.set = set
    stack = try SyncStackContender.stack(path: path, set: set)
  }

  public class func takesPart(in set: DataSet) -> Bool { true }

  class var usesFingerprints: Bool { true }

  /// A sync of objects of an entity.
  func operation(_ payload: SyncPayload, _ entity: String, _ stack: DataStack) -> Sync {
    Sync(payload, inEntityNamed: entity, dataStack: stack)
  }

  public static func stack(path: String, set: DataSet) throws -> DataStack {
    try DataStack(model: try Models.of(set), store: .sqlite(URL(filePath: path)))
  }

  public func prepare(_ payloads: Payloads) throws {
    guard set == .documents else { return }
    _ = try sync(try payloads.load("tags"), "Tag")
    _ = try sync(try payloads.load("people"), "Person")
  }

  public func sync(_ payload: UnsafeRawBufferPointer) throws -> Counts {
    try sync(payload, entity)
  }

  /// The entity of the set.
  private var entity: String {
    switch set {
    case .users: "User"
    case .documents: "Document"
    case .books: "Book"
    }
  }

  public func close() throws { try stack.close() }

  public func sync(file: URL) throws -> Counts { try sync(.file(file), entity) }

  private func sync(_ payload: UnsafeRawBufferPointer, _ entity: String) throws -> Counts {
    guard let start = payload.baseAddress else { return Counts() }
    let data = Data(
      bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: payload.count,
      deallocator: .none)
    return try sync(.data(data), entity)
  }

  private func sync(_ payload: SyncPayload, _ entity: String) throws -> Counts {
    let sync = operation(payload, entity, stack)
    sync.usesFingerprints = Self.usesFingerprints
    stack.syncQueue.addOperations([sync], waitUntilFinished: true)
    guard let report = try sync.result?.get() else { return Counts() }
    // Tags and people whose documents changed are reported as updated, too; the rivals do not look.
    // Nor do they at chapters that only moved.
    let counted =
      set == .users ? Array(report.entities.values) : [report.entities[entity]].compactMap(\.self)
    return counted.reduce(into: Counts()) { counts, entity in
      counts.add(
        Counts(inserted: entity.inserted, updated: entity.updated, deleted: entity.deleted))
    }
  }
}

/// The same without fingerprints: every item is read and compared.
public final class PlainSyncStackContender: SyncStackContender {
  override class var usesFingerprints: Bool { false }
}
