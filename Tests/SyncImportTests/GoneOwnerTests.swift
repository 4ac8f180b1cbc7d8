import Foundation
import SyncStack
import Testing

/// The links of an object that goes again before they are written.
@Suite struct GoneOwnerTests {
  private static let nation = #"[{"id": 1}]"#
  private static let crew = #"[{"id": 1, "nation_id": 1}]"#
  private static let bout = #"{"id": 2, "crew_ids": [1]}"#
  private static let gone = #"{"id": 2, "deleted": true}"#

  private enum Way: CaseIterable {
    case onePayload, pages, syncs, session
  }

  @Test(arguments: [true, false], [0, 1, 2, 3])
  func anObjectThatGoesAgainLeavesNoPair(hasCrew: Bool, way: Int) async throws {
    let stack = try DataStack.league()
    try await stack.sync(Self.nation, inEntityNamed: "Nation")
    if hasCrew { try await stack.sync(Self.crew, inEntityNamed: "Crew") }
    func bouts(_ json: String) async throws {
      let sync = Sync(json, inEntityNamed: "Bout", dataStack: stack)
      sync.operations = [.insert, .update]
      sync.deferReferences = true
      sync.settings.deletes = { $0["deleted"] == true }
      try await stack.sync(sync)
    }
    switch Way.allCases[way] {
    case .onePayload: try await bouts("[\(Self.bout), \(Self.gone)]")
    case .syncs:
      try await bouts("[\(Self.bout)]")
      try await bouts("[\(Self.gone)]")
    case .session, .pages:
      let session = try SyncSession(
        lists: [
          .list(of: "Bout", operations: [.insert, .update], deletes: { $0["deleted"] == true })
        ], dataStack: stack)
      session.settings.deferReferences = true
      try await session.sync("[\(Self.bout)]", of: "Bout")
      try await session.sync("[\(Self.gone)]", of: "Bout")
      try await session.finish()
    }
    if !hasCrew {
      let sync = Sync(Self.crew, inEntityNamed: "Crew", dataStack: stack)
      sync.deferReferences = true
      try await stack.sync(sync)
    }
    let report = try await stack.checkConsistency()
    #expect(report.isConsistent, "\(report)")
    #expect(try await stack.keys(of: "Bout") == [])
  }

  @Test(
    arguments: [
      ["M", "G", "T"], ["M", "T", "G"], ["T", "M", "G"], ["MG", "T"], ["T", "MG"],
      ["M", "GM", "T"],
      ["M", "G", "M", "T"], ["M", "GM", "G", "T"],
    ], [true, false])
  func aSessionOfBothListsLeavesNoPair(pages: [String], together: Bool) async throws {
    let stack = try DataStack.league()
    try await stack.sync(Self.nation, inEntityNamed: "Nation")
    let session = try SyncSession(
      lists: [
        .list(of: "Bout", operations: [.insert, .update], deletes: { $0["deleted"] == true }),
        .list(of: "Crew"),
      ], dataStack: stack)
    session.settings.deferReferences = true
    var made: [SyncSession.Page] = []
    for page in pages {
      let items = page.map {
        $0 == "M" ? Self.bout : $0 == "G" ? Self.gone : #"{"id": 1, "nation_id": 1}"#
      }
      made.append(
        SyncSession.Page(
          .data(Data("[\(items.joined(separator: ","))]".utf8)), of: page == "T" ? "Crew" : "Bout")
      )
    }
    if together {
      try await stack.sync(session.commit(made, ends: true))
    } else {
      for page in made { try await stack.sync(session.commit([page])) }
      try await session.finish()
    }
    let report = try await stack.checkConsistency()
    #expect(report.isConsistent, "\(report)")
  }
}
