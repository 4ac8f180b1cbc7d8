import Foundation
import SyncStack
import TestSupport
import Testing

/// Several processes that write one file leave it whole, and nothing that one of them stored is
/// lost.
@Suite(.timeLimit(.minutes(5))) struct SeveralProcessesTests {
  @Test(arguments: [(2, 1), (2, 2), (8, 3)] as [(Int, UInt64)])
  func whatEachOfThemStoresStays(_ count: Int, _ seed: UInt64) async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    try ProcessRun.prepare(folder.url)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [
              path = path as String, number = number as Int, count = count as Int,
              seed = seed as UInt64
            ] in
            var run = try ProcessRun(folder: path, number: number, of: count, seed: seed)
            try await run.run()
          }
        }
      }
    }
    let stack = try ProcessRun.open(folder.url)
    let report = try await stack.checkConsistency()
    #expect(report.isConsistent, "\(report)")
    let context = stack.newBackgroundContext()
    for number in 0..<count {
      let file = folder.url.appending(path: "outcome-\(number).json")
      let outcome = try JSONDecoder().decode(ProcessRun.Outcome.self, from: Data(contentsOf: file))
      #expect(!outcome.names.isEmpty)
      try context.performAndWait { try compare(outcome, context) }
    }
    let counted = try context.performAndWait {
      try context.fetch(Fetch<ManagedObject>(entityNamed: "Owner", "id == 1")).first?["count"]
        as? Int64
    }
    #expect(counted == Int64(count * ProcessRun.rounds))
    try stack.close()
  }

  /// There is no file when they begin.
  @Test func allOfThemMayMakeTheFile() async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [path = path as String, number = number as Int] in
            let folder = URL(filePath: path)
            try await ProcessRun.wait(for: 8, in: folder, as: number)
            let stack = try ProcessRun.open(folder)
            try await stack.sync(
              [["id": .integer(Int64(number))]] as JSONValue, inEntityNamed: "Owner",
              operations: .insert)
            try stack.close()
          }
        }
      }
    }
    let stack = try ProcessRun.open(folder.url)
    #expect(try await stack.checkConsistency().isConsistent)
    let context = stack.newBackgroundContext()
    let owners = try context.performAndWait {
      try context.count(Fetch<ManagedObject>(entityNamed: "Owner"))
    }
    #expect(owners == 8)
    try stack.close()
  }

  private func compare(_ outcome: ProcessRun.Outcome, _ context: ManagedObjectContext) throws {
    var items: [String: ManagedObject] = [:]
    for item in try context.fetch(Fetch<ManagedObject>(entityNamed: "Item")) {
      items[item["id"] as? String ?? ""] = item
    }
    for (id, name) in outcome.names {
      let item = try #require(items[id], "\(id) is lost.")
      #expect(item["name"] as? String == name)
      #expect((item["owner"] as? ManagedObject)?["id"] as? Int64 == outcome.owners[id], "\(id)")
      let linked = item["linked"] as? [ManagedObject] ?? []
      #expect(Set(linked.compactMap { $0["id"] as? Int64 }) == outcome.links[id] ?? [], "\(id)")
    }
    for id in outcome.deleted { #expect(items[id] == nil, "\(id) is there again.") }
    let owners = try context.fetch(Fetch<ManagedObject>(entityNamed: "Owner"))
    for (id, list) in outcome.lists {
      let owner = owners.first { $0["id"] as? Int64 == id }
      let members = owner?["items"] as? [ManagedObject] ?? []
      #expect(members.map { $0["id"] as? String ?? "" } == list, "the list of \(id)")
    }
  }
}
