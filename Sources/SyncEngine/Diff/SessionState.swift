import Foundation
package import SyncCore
package import SyncStore

/// What a page session has learned from its pages.
///
/// `claims` is read and written only by whoever is inside the store's gate, one page at a time.
package final class SessionState: @unchecked Sendable {
  var claims = Claims()

  /// Name under which the store keeps the session; nil is not at all.
  package let name: String?
  private let entity: EntityDescription
  private static let kind = "session"

  package init(entity: EntityDescription, name: String?) {
    self.entity = entity
    self.name = name
  }

  private var key: String? { name.map { "\(entity.name)/\($0)" } }

  /// Goes on where a session of that name stopped.
  ///
  /// - Throws: ``SyncError`` when the store was migrated since: what its pages said is kept under
  ///   another entity's name or speaks of another model, and a session that knew nothing of it would
  ///   delete what they brought.
  package func restore(from reader: StoreReader, _ control: SyncControl) throws {
    guard let key else { return }
    guard let data = try reader.kept(SessionState.kind, key) else {
      if try !strayKeys(in: reader).isEmpty { throw Claims.outdated }
      return
    }
    claims = try Claims(decoding: data, model: entity.model, control)
  }

  /// Keys of kept sessions of that name whose entity the model does not have: one of them may have been
  /// this entity before a migration.
  private func strayKeys(in reader: StoreReader) throws -> [String] {
    guard let name else { return [] }
    return try reader.keptNames(SessionState.kind).filter { key in
      guard let slash = key.firstIndex(of: "/"), key[slash...].dropFirst() == name else {
        return false
      }
      return entity.model.entity(named: String(key[..<slash])) == nil
    }
  }

  func keep(
    _ claims: Claims, of request: SyncRequest, in transaction: StoreTransaction,
    _ control: SyncControl
  ) throws {
    guard let key else { return }
    try transaction.keep(SessionState.kind, key, try claims.encoded(model: entity.model, control))
    var pages = try pages(in: transaction)
    let before = pages.settings
    pages.settings = (before ?? [:]).merging(SessionState.settings(of: request)) { old, _ in old }
    guard request.pageName != nil || pages.settings != before else { return }
    if let page = request.pageName {
      pages.begun.remove(page)
      pages.stored.insert(page)
    }
    try keep(pages, in: transaction)
  }

  // MARK: - Pages with names

  /// The pages with names of a session that is kept.
  package struct Pages: Codable {
    package var stored: Set<String> = []
    /// Those that were made and are not stored.
    package var begun: Set<String> = []
    /// What the program says of the content of pages, so that it knows one that is another by now.
    package var marks: [String: String]?
    /// Settings that all pages and the end have to share, by their names; see ``check(_:in:)``.
    package var settings: [String: String]?
  }

  private static let pagesKind = "session-pages"

  package func pages(in reader: StoreReader) throws -> Pages {
    guard let key, let data = try reader.kept(SessionState.pagesKind, key) else { return Pages() }
    return try JSONDecoder().decode(Pages.self, from: data)
  }

  /// Notes that pages are going to be worked off.
  package func begin(pages names: Set<String>, in transaction: StoreTransaction) throws {
    var pages = try pages(in: transaction)
    guard !names.isSubset(of: pages.begun) else { return }
    pages.begun.formUnion(names)
    try keep(pages, in: transaction)
  }

  /// Notes pages that are going to be worked off, with what the program says of their content.
  package func begin(
    _ marks: [String: String], settings: [String: String], in transaction: StoreTransaction
  ) throws {
    var pages = try pages(in: transaction)
    if pages.stored.isEmpty { pages.settings = settings }
    pages.begun.formUnion(marks.keys)
    pages.marks = (pages.marks ?? [:]).merging(marks) { _, new in new }
    try keep(pages, in: transaction)
  }

  private func keep(_ pages: Pages, in transaction: StoreTransaction) throws {
    guard let key else { return }
    try transaction.keep(SessionState.pagesKind, key, try JSONEncoder().encode(pages))
  }

  /// Entity, name and pages of all sessions that are kept, in order.
  package static func all(in reader: StoreReader) throws -> [(entity: String, name: String, Pages)]
  {
    let keys = try Set(reader.keptNames(kind)).union(reader.keptNames(pagesKind))
    return try keys.sorted().compactMap { key in
      guard let slash = key.firstIndex(of: "/") else { return nil }
      let pages = try reader.kept(pagesKind, key)
        .map { try JSONDecoder().decode(Pages.self, from: $0) }
      return (String(key[..<slash]), String(key[slash...].dropFirst()), pages ?? Pages())
    }
  }

  // MARK: - Settings

  /// What the deletions at the end are decided by, with what the first page found in scope: it cannot change
  /// any more. The guard may, to allow what it refused, and so may what becomes of unfit items.
  private static func settings(of request: SyncRequest) -> [String: String] {
    [
      "filter": request.filter.map { "\($0)" } ?? "",
      "operations": "\(request.operations)",
    ]
  }

  /// Refuses a page or an end with other settings than the pages before.
  func check(_ request: SyncRequest, in reader: StoreReader) throws {
    try check(SessionState.settings(of: request), in: reader)
  }

  /// Refuses to go on with other settings than those of the pages that are stored.
  ///
  /// - Throws: ``SyncError`` that names each.
  package func check(_ settings: [String: String], in reader: StoreReader) throws {
    guard let name, let kept = try pages(in: reader).settings else { return }
    let others = settings.filter { kept[$0.key].map { [value = $0.value] in $0 != value } ?? false }
    guard !others.isEmpty else { return }
    func quoted(_ value: String?) -> String { (value ?? "").isEmpty ? "none" : "“\(value ?? "")”" }
    let list = others.sorted { $0.key < $1.key }
      .map { "\($0.key) was \(quoted(kept[$0.key])) and is \(quoted($0.value))" }
    throw SyncError(
      .invalidRequest, entity: entity.name,
      message: """
        The session “\(name)” has pages that were stored with other settings: \
        \(list.joined(separator: "; ")). Nothing was changed. Go on with the settings of before, or \
        abandon the session and begin a new one.
        """)
  }

  // MARK: - The end

  /// Begins anew, once ``forget(in:)`` is committed.
  package func reset() {
    claims = Claims()
  }

  /// Forgets in the store what the pages said.
  package func forget(in transaction: StoreTransaction) throws {
    guard let key else { return }
    for key in try [key] + strayKeys(in: transaction) {
      try transaction.keep(SessionState.kind, key, nil)
      try transaction.keep(SessionState.pagesKind, key, nil)
    }
  }
}
