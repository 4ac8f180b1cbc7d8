public import SyncCore
import SyncGraph
import SyncStore

/// Has a say in what an engine sends, and hears of what it does. Called by the engine's own task,
/// one call after the other, never on the main actor by itself and never inside a transaction: it
/// may read the store, and holds the engine up while it does. A class of the main actor implements
/// it with `nonisolated` methods, or reads ``CloudEngine/events`` when it is only to hear.
///
/// What is not implemented says nothing: everything is sent as it is.
public protocol CloudDelegate: AnyObject, Sendable {
  /// Whether a record is sent now. One that is not stays waiting, and is asked about again by each
  /// push.
  func cloud(_ cloud: CloudEngine, shouldPush record: CloudOutgoing) -> Bool

  /// What is sent for a record: its members, less some, or with other values. What is left out
  /// stays waiting, but of a record that is new on the server: that is sent with its next edit.
  /// What is rewritten has the time of the edit, so everybody else takes it and this machine keeps
  /// what it has.
  func cloud(_ cloud: CloudEngine, willPush record: CloudOutgoing) -> JSONObject

  /// What a pull, or the answers of a push, changed here; also when it failed later.
  func cloud(_ cloud: CloudEngine, didPull changes: [ChangeSet])

  /// Why a pull or push failed, or that it was cancelled.
  func cloud(_ cloud: CloudEngine, didFail error: any Error, in direction: CloudDirection)
}

extension CloudDelegate {
  public func cloud(_ cloud: CloudEngine, shouldPush record: CloudOutgoing) -> Bool { true }

  public func cloud(_ cloud: CloudEngine, willPush record: CloudOutgoing) -> JSONObject {
    record.content
  }

  public func cloud(_ cloud: CloudEngine, didPull changes: [ChangeSet]) {}

  public func cloud(
    _ cloud: CloudEngine, didFail error: any Error, in direction: CloudDirection
  ) {}
}

/// What an engine tells as it works.
public enum CloudEvent: Sendable {
  /// What a pull, or the answers of a push, changed here; also when it failed later.
  case changed([ChangeSet])

  /// Why a pull or push failed, or that it was cancelled.
  case failed(any Error, CloudDirection)
}

/// A record that is about to be sent.
public struct CloudOutgoing: Sendable, Hashable {
  /// Its name on the server.
  public let name: String

  /// Name of its entity, or of the many-to-many relationship of which it is a pair, as `Note.tags`.
  public let entity: String

  /// The object; nil for a pair, and when it was deleted.
  public let object: ManagedObjectID?

  /// What is to be sent: `f_title` is a value, `t_title` its time, `d` says that it was deleted.
  public let content: JSONObject

  /// A save with what is sent in its place; nil when that is nothing.
  func save(_ save: CloudSave, with content: JSONObject) -> CloudSave? {
    var content = content
    for member in self.content where member.key.hasPrefix("f_") && content[member.key] == nil {
      // Without a value its time says nothing.
      content["t_" + member.key.dropFirst(2)] = nil
    }
    switch save {
    case .create(let name, _): return .create(name: name, content: content)
    case .replace(let name, let tag, _): return .replace(name: name, tag: tag, content: content)
    case .update(let name, let tag, _):
      return content.isEmpty ? nil : .update(name: name, tag: tag, content: content)
    }
  }
}

extension CloudEngine {
  /// Who has a say; not kept alive.
  public var delegate: (any CloudDelegate)? {
    get { listener.withLock { $0.delegate } }
    set { listener.withLock { $0.delegate = newValue } }
  }

  /// What the engine does from now on, for as long as it is there; read it on whatever actor.
  ///
  /// ```swift
  /// for await event in cloud.events {
  ///   if case .failed(let error, _) = event { show(error) }
  /// }
  /// ```
  ///
  /// Nothing is left out for a slow reader, and the engine does not wait for it.
  public var events: AsyncStream<CloudEvent> {
    AsyncStream { continuation in
      let number = listener.withLock { listener in
        listener.next += 1
        listener.readers[listener.next] = continuation
        return listener.next
      }
      continuation.onTermination = { [weak self] _ in
        _ = self?.listener.withLock { $0.readers.removeValue(forKey: number) }
      }
    }
  }

  /// Tells why a pull or push failed.
  func tell(_ error: any Error, in direction: CloudDirection) {
    let (delegate, readers) = listener.withLock { ($0.delegate, Array($0.readers.values)) }
    delegate?.cloud(self, didFail: error, in: direction)
    for reader in readers { reader.yield(.failed(error, direction)) }
  }

  /// What is sent of some records.
  ///
  /// - Parameter records: Those that the saves were made of; none once a delegate had a say in what
  ///   is sent.
  func chosen(
    _ saves: [CloudSave], _ records: inout [String: RemoteRecord]
  ) -> [CloudSave] {
    guard let delegate else { return saves }
    defer { records = [:] }
    return saves.compactMap { save in
      let (type, row) = (records[save.name]?.entity ?? "", records[save.name]?.row)
      let entity = stack.model.entity(named: type)
      let record = CloudOutgoing(
        name: save.name, entity: type,
        object: entity.flatMap { entity in row.map { ManagedObjectID(entity: entity, row: $0) } },
        content: save.content)
      guard delegate.cloud(self, shouldPush: record) else { return nil }
      return record.save(save, with: delegate.cloud(self, willPush: record))
    }
  }

  /// Tells what was changed here since this was last called.
  func tellChanges() {
    let (delegate, readers, changes) = listener.withLock { listener in
      defer { listener.changes = [] }
      return (listener.delegate, Array(listener.readers.values), listener.changes)
    }
    guard !changes.isEmpty else { return }
    delegate?.cloud(self, didPull: changes)
    for reader in readers { reader.yield(.changed(changes)) }
  }
}

/// Who hears of what an engine does, and what they have not been told yet.
struct CloudListener {
  weak var delegate: (any CloudDelegate)?

  /// By numbers that are drawn in order.
  var readers: [Int: AsyncStream<CloudEvent>.Continuation] = [:]
  var next = 0
  var changes: [ChangeSet] = []
}
