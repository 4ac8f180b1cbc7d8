import SyncCore
import SyncEngine

/// The feeds of an import, and which of them each one waits for.
///
/// A feed waits for those that it names, and for those of objects that a required relationship of
/// its items leads to: an item whose required object is not stored yet could not be stored either.
/// All others are read side by side, as a reference waits for its object. Where required
/// relationships form a circle, the feed that was written first begins.
struct ImportPlan {
  let feeds: [Feed]

  /// The positions of the feeds that each one waits for.
  let needs: [Set<Int>]

  /// - Throws: ``FeedError/Code/invalidFeeds``.
  init(_ feeds: [Feed], _ model: ManagedObjectModel, isNamed: Bool) throws {
    self.feeds = feeds
    let positions = Dictionary(feeds.enumerated().map { ($1.name, $0) }) { first, _ in first }
    if feeds.isEmpty {
      throw ImportPlan.invalid("The import has no feed. Give it at least one.")
    }
    var needs: [Set<Int>] = []
    for (position, feed) in feeds.enumerated() {
      if positions[feed.name] != position {
        throw ImportPlan.invalid(
          "Two feeds have the name “\(feed.name)”. Give one another name, by named.")
      }
      if feed.kind == .changes, !isNamed {
        throw ImportPlan.invalid(
          """
          Feed “\(feed.name)” brings changes, and the place from which the next run goes on is kept under the \
          name of the import. Give the import a name.
          """)
      }
      needs.append(
        try Set(
          feed.after.map { name in
            guard let other = positions[name] else {
              throw ImportPlan.invalid(
                "Feed “\(feed.name)” waits for “\(name)”, and no feed has that name.")
            }
            return other
          }))
    }
    if let circle = needs.indices.first(where: { ImportPlan.reaches($0, from: $0, needs) }) {
      throw ImportPlan.invalid(
        "Feed “\(feeds[circle].name)” waits for itself, by way of the feeds after which it comes.")
    }
    for (position, feed) in feeds.enumerated() {
      for other in ImportPlan.required(by: feed, in: feeds, model)
      where other != position && !ImportPlan.reaches(position, from: other, needs) {
        needs[position].insert(other)
      }
    }
    self.needs = needs
  }

  /// The feeds of objects that the items of a feed cannot be without.
  private static func required(
    by feed: Feed, in feeds: [Feed], _ model: ManagedObjectModel
  ) -> [Int] {
    guard let entity = model.entity(named: feed.entityName) else { return [] }
    let targets = entity.relationships
      .filter { !$0.isToMany && !$0.isOptional }
      .map { entity.destination(of: $0).rootIndex }
    return feeds.indices.filter { index in
      model.entity(named: feeds[index].entityName).map { targets.contains($0.rootIndex) } ?? false
    }
  }

  private static func reaches(_ target: Int, from start: Int, _ needs: [Set<Int>]) -> Bool {
    var open = Array(needs[start])
    var known = Set(open)
    while let next = open.popLast() {
      if next == target { return true }
      open += needs[next].filter { known.insert($0).inserted }
    }
    return false
  }

  private static func invalid(_ message: String) -> FeedError {
    FeedError(.invalidFeeds, message: message)
  }
}
