public import SyncCore
import SyncGraph
import SyncStore

/// Has a say in the records that an engine sends, and hears of its work. It is called by the
/// engine's own task, one call after the other, never on the main actor by itself and never inside
/// a transaction: it may read the store, and holds the engine up while it does. A class of the main
/// actor implements it with `nonisolated` methods, or reads ``CloudEngine/events`` when it is only
/// to hear.
///
/// By default everything is sent as it is.
public protocol CloudDelegate: AnyObject, Sendable {
  /// Whether a record is sent now. One that is not stays waiting, and is asked about again by each
  /// push.
  func cloud(_ cloud: CloudEngine, shouldPush record: CloudOutgoing) -> Bool

  /// The content that is sent for a record: its members, less some, or with other values. A member
  /// that is left out stays waiting; but a record that is new on the server is sent without it, and
  /// the member goes with its next edit. A rewritten member has the time of the edit, so all other
  /// machines take it and this one keeps its own value.
  func cloud(_ cloud: CloudEngine, willPush record: CloudOutgoing) -> JSONObject

  /// The changes here by a pull, or by the answers of a push; also when it failed later.
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

  public func cloud(_ cloud: CloudEngine, didFail error: any Error, in direction: CloudDirection) {}
}

/// The news of an engine at work.
public enum CloudEvent: Sendable {
  /// The changes here by a pull, or by the answers of a push; also when it failed later.
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

  /// The members to send: `f_title` is a value, `t_title` its time, `d` says that it was deleted.
  public let content: JSONObject

  /// A save with another content; nil when that is empty.
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
  /// The delegate that has a say; it is not kept alive.
  public var delegate: (any CloudDelegate)? {
    get { listener.withLock { $0.delegate } }
    set { listener.withLock { $0.delegate = newValue } }
  }

  /// The news of the engine from now on, for as long as it is there; read it on any actor.
  ///
  /// ```swift
  /// for await event in cloud.events {
  ///   if case .failed(let error, _) = event { show(error) }
  /// }
  /// ```
  ///
  /// Nothing is left out for a slow reader, and the engine does not wait for it.
  public var events: AsyncStream<CloudEvent> {
    news.makeStream()
  }

  /// Tells why a pull or push failed.
  func tell(_ error: any Error, in direction: CloudDirection) {
    delegate?.cloud(self, didFail: error, in: direction)
    news.yield(.failed(error, direction))
  }

  /// The saves that the delegate lets through, with its contents.
  ///
  /// - Parameter records: Those that the saves were made of; none once a delegate had a say.
  func chosen(_ saves: [CloudSave], _ records: inout [String: RemoteRecord]) -> [CloudSave] {
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

  /// Tells of the changes here since this was last called.
  func tellChanges() {
    let (delegate, changes) = listener.withLock { listener in
      defer { listener.changes = [] }
      return (listener.delegate, listener.changes)
    }
    guard !changes.isEmpty else { return }
    delegate?.cloud(self, didPull: changes)
    news.yield(.changed(changes))
  }
}

/// The delegate of an engine, and the changes that it and readers of events have not been told yet.
struct CloudListener {
  weak var delegate: (any CloudDelegate)?
  var changes: [ChangeSet] = []
}
