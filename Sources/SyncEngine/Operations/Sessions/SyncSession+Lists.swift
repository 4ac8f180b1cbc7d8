public import SyncCore
public import SyncGraph

/// Sessions of several lists.
extension SyncSession {
  /// One of the lists that the pages of a session are of.
  ///
  /// ```swift
  /// let session = try SyncSession(
  ///   lists: [
  ///     .list(of: "Team"), .list(of: "Player", predicate: "isActive == true"),
  ///     .list(of: "Player", operations: [.insert, .update], named: "new players"),
  ///   ], dataStack: stack, name: "nightly")
  /// ```
  ///
  /// Settings that a list does not have are those of the session.
  public struct List: Sendable {
    /// The name by which pages are said to be of the list: that of its entity, if it was given no
    /// other.
    public let name: String

    let source: any PlanSource
    let filter: Filter?
    let operations: SyncOperations?
    let deletes: ItemTest?

    /// The entity of the items.
    public var entityName: String { source.mappingSource.entityName }

    /// A list of items that conventions map.
    ///
    /// - Parameters:
    ///   - entityName: Entity of the items.
    ///   - predicate: Limits the stored objects that may be deleted.
    ///   - operations: The changes that the session may make with this list; nil is those of the
    ///     session. A list that does not delete, such as one of changes, need not have a page.
    ///   - deletes: Whether an item says that its object is deleted; see ``SyncSettings/deletes``.
    ///   - name: The name by which pages are said to be of the list; nil is that of the entity.
    public static func list(
      of entityName: String, predicate: Filter? = nil, operations: SyncOperations? = nil,
      deletes: ItemTest? = nil, named name: String? = nil
    ) -> List {
      list(
        with: Conventional(entityName), predicate: predicate, operations: operations,
        deletes: deletes, named: name)
    }

    /// A list of items whose mapping was written by hand.
    ///
    /// - Parameters: as for the form that conventions map, but
    ///   - source: A ``Serializer``, or ``Conventional`` mapping.
    public static func list(
      with source: some PlanSource, predicate: Filter? = nil, operations: SyncOperations? = nil,
      deletes: ItemTest? = nil, named name: String? = nil
    ) -> List {
      List(
        name: name ?? source.mappingSource.entityName, source: source, filter: predicate,
        operations: operations, deletes: deletes)
    }

    /// The setup of the list in a sync that was set up like this.
    func setup(in sync: SyncSetup) -> SyncSetup {
      var result = sync
      result.settings.filter = filter ?? sync.settings.filter
      result.settings.deletes = deletes ?? sync.settings.deletes
      result.settings.operations = operations ?? sync.settings.operations
      return result
    }
  }

  /// The items of one list on a page that has several.
  public struct Part: Sendable {
    let page: Page

    /// Items of a list.
    ///
    /// - Parameters:
    ///   - payload: The JSON, in any form that is a payload. Several lists may stand in one
    ///     document: give each part the document and its own path.
    ///   - list: The name of the list; see ``SyncSession/List/name``.
    ///   - path: Leads to the list inside the document; see ``Sync/path``.
    public static func list(
      _ payload: some SyncPayloadConvertible, of list: String, at path: JSONPath? = nil
    ) -> Part {
      Part(page: Page(payload.syncPayload, of: list, at: path))
    }
  }

  /// A page that is to be stored.
  package struct Page: Sendable {
    let payload: SyncPayload
    /// The name of its list; nil is the only one.
    let list: String?
    let path: JSONPath?
    let name: String?
    var id = PageID.number(0)

    package init(
      _ payload: SyncPayload, of list: String? = nil, at path: JSONPath? = nil,
      named name: String? = nil
    ) {
      self.payload = payload
      self.list = list
      self.path = path
      self.name = name
    }
  }

  // MARK: - Beginning

  /// Begins a session whose pages are of several lists that conventions map, or goes on with the
  /// one of that name.
  ///
  /// ```swift
  /// let session = try SyncSession(of: ["Team", "Player"], dataStack: stack, name: "nightly")
  /// queue.addOperation(session.page(json, of: "Player", named: "players/3", at: "items"))
  /// ```
  ///
  /// - Parameters:
  ///   - entityNames: The entities of the lists, which are also their names.
  ///   - name: A name keeps the session in the store until it is finished or abandoned.
  /// - Throws: As ``init(lists:dataStack:name:)``.
  public convenience init(
    of entityNames: [String], dataStack: DataStack, name: String? = nil
  ) throws {
    try self.init(lists: entityNames.map { .list(of: $0) }, dataStack: dataStack, name: name)
  }

  /// Begins a session whose pages are of several lists, or goes on with the one of that name.
  ///
  /// Pages of all lists come in any order. Objects refer to each other over all lists, in any order
  /// and in circles. The end deletes what no page of any list mentioned, for each list that deletes
  /// in its scope; lists of one entity say together which objects there are. It is refused when
  /// such a list had no page.
  ///
  /// The store keeps such a session by its name alone, and one with other lists, or other settings
  /// of a list, is refused.
  ///
  /// - Parameters:
  ///   - lists: The lists; see ``List``. Their names have to differ.
  ///   - name: A name keeps the session in the store until it is finished or abandoned.
  /// - Throws: ``SyncError`` with ``SyncError/Code/invalidRequest`` when there is no list or two
  ///   have one name, or when an entity has no primary key; ``MappingError`` when a serializer does
  ///   not fit the model, `ModelError` when that has no such entity, `StoreError` when the stack
  ///   was closed.
  public convenience init(lists: [List], dataStack: DataStack, name: String? = nil) throws {
    try self.init(lists, areNamed: true, dataStack, name)
  }

  // MARK: - Pages

  /// Makes the operation of a page of one of several lists, to be added to a queue.
  ///
  /// ```swift
  /// let session = try SyncSession(of: ["Team", "Player"], dataStack: stack)
  /// queue.addOperation(session.page(json, of: "Player", at: "items"))
  /// ```
  ///
  /// - Parameters:
  ///   - payload: The JSON of the page, in any form that is a payload.
  ///   - list: The name of the list; see ``List/name``. An unknown one is reported when the page
  ///     runs.
  ///   - name: A name of the page; once it is synced, earlier failures of pages of that name count
  ///     no longer. Pages of all lists share their names.
  ///   - path: Leads to the list inside the document; see ``Sync/path``.
  public func page(
    _ payload: some SyncPayloadConvertible, of list: String, named name: String? = nil,
    at path: JSONPath? = nil
  ) -> Sync {
    make([Page(payload.syncPayload, of: list, at: path, named: name)])
  }

  /// Makes the operation of a page that has items of several lists, as documents with objects of
  /// other entities beside those that were asked for: they are stored together, in one transaction.
  ///
  /// ```swift
  /// session.page(
  ///   [.list(json, of: "User", at: "users"), .list(json, of: "Topic", at: "topics")], named: "7")
  /// ```
  ///
  /// - Parameters:
  ///   - parts: The items of each list, in the order in which they are applied.
  ///   - name: A name of the page; once it is synced, earlier failures of pages of that name count
  ///     no longer.
  public func page(_ parts: [Part], named name: String? = nil) -> Sync {
    var pages = parts.map {
      Page($0.page.payload, of: $0.page.list, at: $0.page.path, named: name)
    }
    let id = nextID(name)
    for index in pages.indices { pages[index].id = id }
    return operation(of: pages, ends: false)
  }

  /// Syncs a page of one of several lists on the stack's queue and waits for it.
  ///
  /// - Parameters: as ``page(_:of:named:at:)``.
  @discardableResult
  public func sync(
    _ payload: some SyncPayloadConvertible, of list: String, named name: String? = nil,
    at path: JSONPath? = nil
  ) async throws -> SyncReport {
    try await dataStack.sync(page(payload, of: list, named: name, at: path))
  }

  /// Makes the operation of many pages, and of the end if it is to follow them, in one transaction:
  /// all of it is stored, or nothing.
  ///
  /// - Parameters:
  ///   - pages: The pages, in the order in which they are applied. Each is opened when its turn
  ///     comes; a tree or a stream is made bytes before the store is entered.
  ///   - ends: Whether the end follows. The operation waits for the pages made before then.
  ///   - counts: How many items a list has over all pages, by its name: with another number of
  ///     items the end deletes nothing of it.
  ///   - metadata: Values that are committed with the pages, beside those of the session if the end
  ///     follows.
  package func commit(
    _ pages: [Page], ends: Bool = false, expecting counts: [String: Int] = [:],
    metadata: StoreMetadata = StoreMetadata()
  ) -> Sync {
    if ends { stage.withLock { $0.expected = counts } }
    let operation = make(pages, ends: ends)
    operation.metadata.merge(metadata)
    return operation
  }

  /// How many items each list has over all pages, as far as that was said, by its number.
  var expectedCounts: [Int: Int] {
    let counts = stage.withLock { $0.expected }
    return Dictionary(
      uniqueKeysWithValues: lists.enumerated().compactMap { index, list in
        counts[list.name].map { (index, $0) }
      })
  }
}
