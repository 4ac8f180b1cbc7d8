import SyncCore
package import SyncStore

/// The refusals of a page session: of other lists or settings than before, and of an end too soon.
extension SessionState {
  /// Refuses to go on with other lists than before.
  func check(_ kept: [ClaimsStore.KeptList]) throws {
    func text(_ lists: [(name: String, entity: String)]) -> String {
      lists.map { $0.name == $0.entity ? $0.name : "\($0.name) (\($0.entity))" }.sorted()
        .joined(separator: ", ")
    }
    let before = text(kept.map { ($0.name, $0.entity) })
    let now = text(lists.map { ($0.name, $0.entity.name) })
    guard before != now else { return }
    throw SyncError(
      .invalidRequest,
      message: """
        The session “\(name ?? "")” has pages that were stored with other lists: \(before). Now they are \
        \(now). Nothing was changed. Go on with the lists of before, or abandon the session and begin a new one.
        """)
  }

  /// The settings that decide the deletions at the end, with the rows that the first page found in
  /// scope: they cannot change any more. The guard may change, to allow a refused deletion, and so
  /// may the policy for unfit items.
  func settings(of request: SyncRequest) -> [String: String] {
    let place = hasNamedLists ? " of \(lists[request.list].name)" : ""
    let setup = request.setup
    return [
      "filter\(place)": request.settings.filter?.wholeText ?? "",
      "operations\(place)": "\(request.settings.operations)",
      "parent\(place)": setup.parent.map { parent in
        setup.parentRelationship.map { "\(parent), \($0)" } ?? "\(parent)"
      } ?? "",
    ]
  }

  func settings(in reader: StoreReader) throws -> [String: String]? {
    guard let key else { return claims.hasBegun ? settingsOfPages : nil }
    guard let sync = try reader.openSync(SessionState.kind, key) else { return nil }
    return ClaimsStore.summary(of: sync)?.settings
  }

  /// Refuses pages or an end with other settings than the pages before.
  func check(_ requests: [Int: SyncRequest], in reader: StoreReader) throws {
    var all: [String: String] = [:]
    for request in requests.values { all.merge(settings(of: request)) { first, _ in first } }
    try check(all, in: reader)
  }

  /// Refuses to go on with other settings than those of the pages that are stored.
  ///
  /// - Throws: ``SyncError`` that names each.
  package func check(_ settings: [String: String], in reader: StoreReader) throws {
    guard let kept = try self.settings(in: reader) else { return }
    let others = settings.filter { kept[$0.key].map { [value = $0.value] in $0 != value } ?? false }
    guard !others.isEmpty else { return }
    func quoted(_ value: String?) -> String { (value ?? "").isEmpty ? "none" : "“\(value ?? "")”" }
    let list = others.inKeyOrder
      .map { "\($0.key) was \(quoted(kept[$0.key])) and is \(quoted($0.value))" }
    throw SyncError(
      .invalidRequest, entity: entityName,
      message: """
        The session\(name.map { " “\($0)”" } ?? "") has pages that were stored with other settings: \
        \(list.joined(separator: "; ")). Nothing was changed. Go on with the settings of before, \
        on each page and on finishOperation(), or abandon the session and begin a new one.
        """)
  }

  /// Refuses an end before which a list had no page that deletes what its pages do not mention.
  ///
  /// - Parameter requests: A request of each list.
  func checkPages(of requests: [SyncRequest]) throws {
    let states = claims.states
    let silent = requests.filter {
      $0.settings.operations.contains(.delete) && states[$0.list]?.hasBegun != true
    }
    guard let first = silent.first else { return }
    let (pages, theirs) =
      hasNamedLists
      ? (
        "no page of \(silent.map { "“\(lists[$0.list].name)”" }.joined(separator: ", "))",
        " of \(silent.count == 1 ? "that list" : "those lists")"
      ) : ("no page", "")
    throw SyncError(
      .invalidRequest, entity: lists[first.list].entity.name,
      message: """
        The session had \(pages), so everything\(theirs) would be deleted. Nothing was. Sync at least one \
        page\(theirs), an empty one if that is meant, or abandon the session.
        """)
  }
}
