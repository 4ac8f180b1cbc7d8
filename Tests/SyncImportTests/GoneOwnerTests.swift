import Foundation
import SyncCore
import SyncEngine
import SyncGraph
import SyncStore
import Testing

/// The links of an object that goes again before they are written.
@Suite struct GoneOwnerTests {
  private static let country = #"[{"id": 1}]"#
  private static let team = #"[{"id": 1, "country_id": 1}]"#
  private static let match = #"{"id": 2, "team_ids": [1]}"#
  private static let gone = #"{"id": 2, "deleted": true}"#

  private enum Way: CaseIterable {
    case onePayload, pages, syncs, session
  }

  @Test(arguments: [true, false], [0, 1, 2, 3])
  func anObjectThatGoesAgainLeavesNoPair(hasTeam: Bool, way: Int) async throws {
    let stack = try DataStack.league()
    try await stack.sync(Self.country, inEntityNamed: "Country")
    if hasTeam { try await stack.sync(Self.team, inEntityNamed: "Team") }
    func matches(_ json: String) async throws {
      let sync = Sync(json, inEntityNamed: "Match", dataStack: stack)
      sync.operations = [.insert, .update]
      sync.deferReferences = true
      sync.settings.deletes = { $0["deleted"] == true }
      try await stack.sync(sync)
    }
    switch Way.allCases[way] {
    case .onePayload: try await matches("[\(Self.match), \(Self.gone)]")
    case .syncs:
      try await matches("[\(Self.match)]")
      try await matches("[\(Self.gone)]")
    case .session, .pages:
      let session = try SyncSession(
        lists: [
          .list(of: "Match", operations: [.insert, .update], deletes: { $0["deleted"] == true })
        ], dataStack: stack)
      session.settings.deferReferences = true
      try await session.sync("[\(Self.match)]", of: "Match")
      try await session.sync("[\(Self.gone)]", of: "Match")
      try await session.finish()
    }
    if !hasTeam {
      let sync = Sync(Self.team, inEntityNamed: "Team", dataStack: stack)
      sync.deferReferences = true
      try await stack.sync(sync)
    }
    let report = try await stack.checkConsistency()
    #expect(report.isConsistent, "\(report)")
    #expect(try await stack.keys(of: "Match") == [])
  }

  @Test(
    arguments: [
      ["M", "G", "T"], ["M", "T", "G"], ["T", "M", "G"], ["MG", "T"], ["T", "MG"],
      ["M", "GM", "T"],
      ["M", "G", "M", "T"], ["M", "GM", "G", "T"],
    ], [true, false])
  func aSessionOfBothListsLeavesNoPair(pages: [String], together: Bool) async throws {
    let stack = try DataStack.league()
    try await stack.sync(Self.country, inEntityNamed: "Country")
    let session = try SyncSession(
      lists: [
        .list(of: "Match", operations: [.insert, .update], deletes: { $0["deleted"] == true }),
        .list(of: "Team"),
      ], dataStack: stack)
    session.settings.deferReferences = true
    var made: [SyncSession.Page] = []
    for page in pages {
      let items = page.map {
        $0 == "M" ? Self.match : $0 == "G" ? Self.gone : #"{"id": 1, "country_id": 1}"#
      }
      made.append(
        SyncSession.Page(
          .data(Data("[\(items.joined(separator: ","))]".utf8)), of: page == "T" ? "Team" : "Match")
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
