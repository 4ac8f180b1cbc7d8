import SyncStack
import TestSupport
import Testing

/// Ordered relationships of every kind, by every way that leads to them, in one piece and in parts.
@Suite struct OrderWaysTests {
  enum List: String, CaseIterable, Sendable {
    case oneToMany = "pages"
    case manyToMany = "songs"
    case withoutInverse = "photos"

    var entity: String {
      switch self {
      case .oneToMany: "Page"
      case .manyToMany: "Song"
      case .withoutInverse: "Photo"
      }
    }
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel([
      """
      Album: id, pages ->> Page.album ordered cascade, songs ->> Song.albums ordered,
      photos ->> Photo ordered
      """,
      "Page: id, album -> Album.pages",
      "Song: id, albums ->> Album.songs",
      "Photo: id",
    ])
  }

  private func items(_ keys: [Int]) -> String {
    "[\(keys.map { #"{"id": \#($0)}"# }.joined(separator: ","))]"
  }

  private func expected(_ list: List, _ keys: [Int]) -> [String] {
    let text = keys.map(String.init).joined(separator: ",")
    return [keys.isEmpty ? "id=1" : "id=1 \(list.rawValue)=[\(text)]"]
  }

  /// A store with an album, and a way to sync its children as those of a given parent.
  private struct Album {
    let bench: SyncBench
    let id: ManagedObjectID

    init() throws {
      bench = try SyncBench(OrderWaysTests.model())
      try bench.sync(#"[{"id": 1}]"#, "Album")
      id = try bench.id("Album", 1)
    }

    func sync(_ json: String, _ list: List, partItems: Int?) throws -> ChangeSet {
      try bench.syncWithChanges(json, list.entity, under: id, by: list.rawValue, parts: partItems)
        .changes
    }
  }

  @Test(arguments: List.allCases, [nil, 1, 2])
  func aGivenParentsListTakesEveryPermutationOfFour(_ list: List, partItems: Int?) throws {
    let album = try Album()
    _ = try album.sync(items([1, 2, 3, 4]), list, partItems: nil)
    var previous = [1, 2, 3, 4]
    for keys in OrderRuleTests.permutations(previous) {
      let changes = try album.sync(items(keys), list, partItems: partItems)
      #expect(try album.bench.objects("Album") == expected(list, keys))
      // Only the parent changes, and only when the order does.
      #expect(changes.counts == (0, keys == previous ? 0 : 1, 0))
      previous = keys
    }
  }

  @Test(arguments: List.allCases, [nil, 1, 3, 7])
  func aGivenParentsListIsOrderedWhoseMembersChangeAsWell(_ list: List, partItems: Int?) throws {
    let album = try Album()
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<12 {
      let count = Int.random(in: 1...20, using: &generator)
      let keys = Array((1...20).shuffled(using: &generator).prefix(count))
      _ = try album.sync(items(keys), list, partItems: partItems)
      #expect(try album.bench.objects("Album") == expected(list, keys))
    }
  }

  @Test(arguments: [nil, 1])
  func aMemberThatStaysInAGivenParentsListWithoutBeingAnItemComesLast(partItems: Int?) throws {
    let album = try Album()
    _ = try album.sync(items([1, 2, 3, 4]), .withoutInverse, partItems: nil)
    try album.bench.sync(
      items([4, 9, 2]), "Photo", under: album.id, by: "photos", operations: [.insert, .update],
      parts: partItems)
    #expect(try album.bench.objects("Album") == expected(.withoutInverse, [4, 9, 2, 1, 3]))
  }

  /// A list that comes again in another part replaces the first.
  @Test(arguments: List.allCases, [nil, 1, 2])
  func theLastListOfAPayloadCountsByObjectsAndByKeys(_ list: List, partItems: Int?) throws {
    let bench = try SyncBench(OrderWaysTests.model())
    var generator = SeededGenerator(seed: 9)
    try bench.sync(items(Array(1...8)), list.entity)
    for round in 0..<12 {
      let first = (1...8).shuffled(using: &generator)
      let last = (1...8).shuffled(using: &generator)
      let byKeys = round % 2 == 0
      let text = byKeys ? "[\(last.map(String.init).joined(separator: ","))]" : items(last)
      let name = byKeys ? list.rawValue + "_ids" : list.rawValue
      try bench.sync(
        #"""
        [{"id": 1, "\#(list.rawValue)": \#(items(first))}, {"id": 2}, {"id": 1, "\#(name)": \#(text)}]
        """#, "Album", parts: partItems)
      #expect(try bench.objects("Album") == expected(list, last) + ["id=2"])
    }
  }
}
