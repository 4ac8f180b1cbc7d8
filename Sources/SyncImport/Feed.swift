import Foundation
public import SyncCore
public import SyncEngine

/// One list of an ``Import``: the entity that its items fill, and the requests that bring its
/// pages.
///
/// ```swift
/// Feed("Team", at: "items") { place in
///   let (data, response) = try await URLSession.shared.data(from: teams(after: place))
///   return try FeedPage(data, response, next: "cursor")
/// }
/// ```
///
/// The closure is given a place, as the page before named it; nil is the beginning. It makes one
/// request and returns the page; the import asks again where that may help.
public struct Feed: Sendable {
  /// What a feed says about the objects that it does not mention.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The pages together are the whole list: objects that no page of the run mentions are deleted
    /// when every feed has ended.
    case snapshot

    /// The pages are changes since a place. Objects that are not mentioned stay; an item may say
    /// that its object is deleted (`sync.tombstoneKey`, or `deletes`). The place where the last
    /// page ends is kept, and the next run begins there, so the import needs a name.
    case changes
  }

  /// Makes one request.
  public typealias Request = @Sendable (_ place: String?) async throws -> FeedPage

  /// The name in reports and errors, and that under which places are kept. Default: the entity.
  public let name: String

  /// Whether the pages are the whole list or changes.
  public let kind: Kind

  let source: any PlanSource
  let path: JSONPath?
  let filter: Filter?
  let deletes: ItemTest?
  let after: [String]
  let fetch: Request

  /// The entity of the items.
  public var entityName: String { source.mappingSource.entityName }

  /// A feed of items that conventions map.
  ///
  /// - Parameters:
  ///   - entityName: Entity of the items. An unknown one is reported when the import runs.
  ///   - kind: Whether the pages are the whole list or changes.
  ///   - name: The name of the feed; nil is that of the entity. Two feeds of an entity need two
  ///     names, and say together which objects there are.
  ///   - path: Leads to the list inside each page, as in `data.items`; see ``Sync/path``.
  ///   - filter: Limits the stored objects that may be deleted.
  ///   - deletes: Whether an item says that its object is deleted; see ``SyncSettings/deletes``.
  ///   - feeds: Names of feeds that have to end before this one is asked for. Those of objects that
  ///     a required relationship of the items leads to come first in any case.
  ///   - fetch: Makes one request. It runs on any thread, several at a time.
  public init(
    _ entityName: String, _ kind: Kind = .snapshot, named name: String? = nil,
    at path: JSONPath? = nil, predicate filter: Filter? = nil, deletes: ItemTest? = nil,
    after feeds: [String] = [], fetch: @escaping Request
  ) {
    self.init(
      with: Conventional(entityName), kind, named: name, at: path, predicate: filter,
      deletes: deletes,
      after: feeds, fetch: fetch)
  }

  /// A feed of items whose mapping was written by hand.
  ///
  /// - Parameters: as for the form that conventions map, but
  ///   - source: A ``Serializer``, or ``Conventional`` mapping.
  public init(
    with source: some PlanSource, _ kind: Kind = .snapshot, named name: String? = nil,
    at path: JSONPath? = nil, predicate filter: Filter? = nil, deletes: ItemTest? = nil,
    after feeds: [String] = [], fetch: @escaping Request
  ) {
    self.name = name ?? source.mappingSource.entityName
    self.kind = kind
    self.source = source
    self.path = path
    self.filter = filter
    self.deletes = deletes
    after = feeds
    self.fetch = fetch
  }
}

/// Collects the feeds of an ``Import``.
@resultBuilder
public enum FeedBuilder {
  public static func buildExpression(_ feed: Feed) -> [Feed] { [feed] }
  public static func buildExpression(_ feeds: [Feed]) -> [Feed] { feeds }
  public static func buildBlock(_ parts: [Feed]...) -> [Feed] { parts.flatMap(\.self) }
  public static func buildOptional(_ feeds: [Feed]?) -> [Feed] { feeds ?? [] }
  public static func buildEither(first feeds: [Feed]) -> [Feed] { feeds }
  public static func buildEither(second feeds: [Feed]) -> [Feed] { feeds }
  public static func buildArray(_ parts: [[Feed]]) -> [Feed] { parts.flatMap(\.self) }
}
