import Foundation
package import SyncCore
package import SyncStore

/// The claims of a page session's pages, which are of one list of items or of several.
///
/// A session with a name is kept in the store: claims of a page are written with the page, and
/// before each page and at the end a transaction looks whether another writer has changed the
/// session since; then everything is read anew. Used inside the store's gate, one page at a time.
package final class SessionState: @unchecked Sendable {
  private(set) var claims = Claims()

  /// Name under which the store keeps the session; nil is not at all.
  package let name: String?

  /// The lists that the pages are of, in an order.
  package let lists: [List]
  let model: ManagedObjectModel

  /// The name of the session and those like it among the open syncs.
  let key: String?

  /// Whether the session was made for lists with names. It is found by its name alone then, so that
  /// it does not go unnoticed when it has other lists than before; otherwise by its entity, too.
  let hasNamedLists: Bool

  /// The session in the store as it was when ``claims`` were those of it; nil before its first
  /// page.
  private var known: OpenSync?
  /// The same as the transaction that runs leaves it.
  private var written: OpenSync?

  /// The settings of the pages, of a session that the store does not keep.
  private(set) var settingsOfPages: [String: String] = [:]

  static let kind = "session"

  /// A list of items.
  package struct List: Sendable {
    package let name: String
    package let entity: EntityDescription

    package init(name: String, entity: EntityDescription) {
      self.name = name
      self.entity = entity
    }
  }

  /// Begins or finds the session of an entity.
  package init(entity: EntityDescription, name: String?) {
    lists = [List(name: entity.name, entity: entity)]
    model = entity.model
    self.name = name
    key = name.map { "\(entity.name)/\($0)" }
    hasNamedLists = false
  }

  /// Begins or finds the session of several lists, whose names differ.
  package init(_ lists: [List], of model: ManagedObjectModel, name: String?) {
    self.lists = lists
    self.model = model
    self.name = name
    key = name.map { "/\($0)" }
    hasNamedLists = true
  }

  /// The entity that errors are about; nil where there are several lists.
  var entityName: String? { lists.count == 1 ? lists[0].entity.name : nil }

  // MARK: - Reading

  /// Makes the claims those of the store.
  ///
  /// - Throws: ``SyncError`` when another session of that name has ended this one, or when the
  ///   store was migrated since.
  func refresh(in reader: StoreReader, _ control: SyncControl) throws {
    guard let key else { return }
    guard let sync = try reader.openSync(SessionState.kind, key) else {
      guard known == nil else { throw ended }
      guard try sessionsOfUnknownEntities(in: reader).isEmpty else { throw Claims.outdated }
      return
    }
    if let known, known.id != sync.id { throw ended }
    guard known?.revision != sync.revision, sync.revision > 0 else { return }
    guard let summary = ClaimsStore.summary(of: sync), summary.model == model.versionHash else {
      throw Claims.outdated
    }
    try check(summary.lists)
    claims = try store(control).read(sync, summary.lists, from: reader)
    known = sync
  }

  private func store(_ control: SyncControl) -> ClaimsStore {
    ClaimsStore(model: model, lists: lists.map(\.name), control: control)
  }

  private var ended: SyncError {
    SyncError(
      .invalidRequest, entity: entityName,
      message: """
        The session “\(name ?? "")” was finished or abandoned by another session of that name. Nothing was \
        changed. Begin a new one.
        """)
  }

  /// Kept sessions of that name whose entity the model does not have: one of them may have been
  /// this entity before a migration.
  private func sessionsOfUnknownEntities(in reader: StoreReader) throws -> [OpenSync] {
    // One with named lists is found under its name whatever its entities are called.
    guard let name, !hasNamedLists else { return [] }
    return try reader.openSyncs(SessionState.kind).filter { sync in
      guard let slash = sync.name.firstIndex(of: "/"), sync.name[slash...].dropFirst() == name
      else {
        return false
      }
      return slash > sync.name.startIndex && model.entity(named: String(sync.name[..<slash])) == nil
    }
  }

  // MARK: - Pages

  /// Whether any page was stored, as far as this session knows.
  package var hasPages: Bool { claims.hasBegun }

  /// Keeps the claims of pages.
  ///
  /// - Parameters:
  ///   - requests: A request of each list whose settings are known, by the number of the list.
  ///   - pages: The names of pages that have one.
  func keep(
    _ requests: [Int: SyncRequest], pages: [String], in transaction: StoreTransaction,
    _ control: SyncControl
  ) throws {
    var settings = try settings(in: transaction) ?? [:]
    for request in requests.values {
      settings.merge(self.settings(of: request)) { old, _ in old }
    }
    settingsOfPages = settings
    guard let key else { return }
    let sync = try transaction.keepOpen(
      SessionState.kind, key, head: try head(claims, settings))
    try store(control).write(claims, to: sync, in: transaction)
    if !pages.isEmpty {
      try transaction.write(pages.map { OpenSync.Page(name: $0, isStored: true) }, of: sync)
    }
    written = sync
  }

  private func head(_ claims: Claims, _ settings: [String: String]) throws -> Data {
    let states = claims.states
    return try JSONEncoder().encode(
      ClaimsStore.Summary(
        model: model.versionHash,
        lists: lists.enumerated().map { index, list in
          ClaimsStore.KeptList(
            name: list.name, entity: list.entity.name, state: states[index] ?? Claims.State())
        }, settings: settings))
  }

  /// Counts the claims of a page: it was committed.
  func didCommitPage() {
    claims.commit()
    known = written ?? known
    written = nil
  }

  /// Drops the claims of a page.
  func didFailPage() {
    claims.rollBack()
    written = nil
  }

  /// The pages with names.
  package func pages(in reader: StoreReader) throws -> [OpenSync.Page] {
    guard let key, let sync = try reader.openSync(SessionState.kind, key) else { return [] }
    return try reader.pages(of: sync)
  }

  /// Notes pages that are going to be worked off, with the program's marks of their content.
  package func begin(
    _ marks: [String: String?], settings: [String: String] = [:], in transaction: StoreTransaction
  ) throws {
    guard let key else { return }
    if let known, try transaction.openSync(SessionState.kind, key)?.id != known.id { throw ended }
    let sync = try transaction.keepOpen(SessionState.kind, key, head: nil)
    // The name alone does not say of which lists the session is.
    if sync.revision == 0, hasNamedLists || !settings.isEmpty {
      _ = try transaction.keepOpen(SessionState.kind, key, head: try head(Claims(), settings))
    }
    let known = try Set(transaction.pages(of: sync).filter(\.isBegun).map(\.name))
    let pages = marks.filter { $0.value != nil || !known.contains($0.key) }
      .inKeyOrder
      .map { OpenSync.Page(name: $0.key, isBegun: true, mark: $0.value) }
    try transaction.write(pages, of: sync)
  }

  /// A session that is kept, as the store tells it.
  package struct Kept {
    /// The key of the session among the open syncs.
    package let key: String
    package let name: String
    package let lists: [(name: String, entity: String)]
    package let pages: [OpenSync.Page]
  }

  /// All sessions that are kept, in order.
  package static func all(in reader: StoreReader) throws -> [Kept] {
    try reader.openSyncs(kind).compactMap { sync in
      guard let slash = sync.name.firstIndex(of: "/") else { return nil }
      let entity = String(sync.name[..<slash])
      let lists = ClaimsStore.summary(of: sync)?.lists.map { ($0.name, $0.entity) }
      return Kept(
        key: sync.name, name: String(sync.name[slash...].dropFirst()),
        lists: lists ?? (entity.isEmpty ? [] : [(entity, entity)]),
        pages: try reader.pages(of: sync))
    }
  }

  /// Forgets a session that is kept.
  package static func forget(_ key: String, in transaction: StoreTransaction) throws {
    if let sync = try transaction.openSync(kind, key) { try transaction.forget(sync) }
  }

  // MARK: - The end

  /// Begins anew, once ``forget(in:)`` is committed.
  package func reset() {
    claims = Claims()
    known = nil
  }

  /// Forgets the claims of the pages in the store.
  package func forget(in transaction: StoreTransaction) throws {
    guard let key else { return }
    let sync = try transaction.openSync(SessionState.kind, key)
    for sync in try (sync.map { [$0] } ?? []) + sessionsOfUnknownEntities(in: transaction) {
      try transaction.forget(sync)
    }
  }
}
