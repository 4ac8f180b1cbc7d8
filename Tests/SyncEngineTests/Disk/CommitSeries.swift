import Foundation
import SyncStack
import Testing

final class Diarist: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @Attribute var commit: Int64 = 0
  @ToMany(inverse: "diarist", deleteRule: .cascade) var pages: Set<DiaryPage>
}

final class DiaryPage: ManagedObject {
  @PrimaryKey var id: Int64
  @ToOne var diarist: Diarist?
}

/// Numbered commits, syncs and saves by turns, after each of which the whole store says which one
/// was the last: every diarist has its number, and which diarists and pages there are follows from
/// it.
struct CommitSeries {
  /// The commits whose names are long, so that the log is folded back among them.
  var long = 0..<0

  func open(_ url: URL, _ durability: StoreDurability = .normal) throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel(Diarist.self, DiaryPage.self), store: .sqlite(url),
      durability: durability)
  }

  /// A commit of odd number is a sync, one of even number a save, which leaves as they are the
  /// diarists and pages that the sync before made.
  private func sync(of commit: Int) -> Int { commit - (commit % 2 == 0 ? 1 : 0) }

  private func diarists(_ commit: Int) -> Range<Int> { 0..<(20 + sync(of: commit) % 7) }

  private func pages(_ commit: Int) -> Range<Int> { 0..<(sync(of: commit) % 3) }

  private func name(_ commit: Int) -> String {
    String(repeating: "\(commit) ", count: long.contains(commit) ? 12_000 : 600)
  }

  /// Makes a commit in a store that has the one before.
  func make(_ commit: Int, _ stack: DataStack) async throws {
    guard commit % 2 == 0 else {
      let items = diarists(commit).map { diarist -> JSONValue in
        [
          "id": .integer(Int64(diarist)), "name": .string(name(commit)),
          "commit": .integer(Int64(commit)),
          "pages": .array(
            pages(commit).map { ["id": .integer(Int64(diarist * 10 + $0))] as JSONValue }),
        ]
      }
      try await stack.sync(JSONValue.array(items), inEntityNamed: "Diarist")
      return
    }
    let context = stack.newBackgroundContext()
    try await context.perform { [name = name(commit)] in
      for diarist in try context.fetch(Fetch<Diarist>()) {
        diarist.name = name
        diarist.commit = Int64(commit)
      }
      for loose in try context.fetch(Fetch<DiaryPage>("diarist == nil")) { context.delete(loose) }
      context.insert(DiaryPage.self).id = Int64(10_000 + commit)
      try context.save()
    }
  }

  /// The number of the last commit in a store; 0 for an empty one.
  ///
  /// Records an issue where the store is damaged, or as after none of the commits.
  func last(in stack: DataStack, _ comment: Comment) async throws -> Int {
    let report = try await stack.checkConsistency()
    #expect(report.problems.isEmpty, comment)
    let context = stack.newBackgroundContext()
    let (commit, found) = try await context.perform {
      let diarists = try context.fetch(Fetch<Diarist>().sorted(by: "id"))
      let lines = diarists.map { diarist in
        let isNamed = diarist.name == self.name(Int(diarist.commit))
        return "\(diarist.id) \(isNamed) \(diarist.commit) \(diarist.pages.map(\.id).sorted())"
      }
      let loose = try context.fetch(Fetch<DiaryPage>("diarist == nil")).map { "\($0.id)" }
      return (Int(diarists.first?.commit ?? 0), lines + loose)
    }
    #expect(found == expected(commit), comment)
    return commit
  }

  private func expected(_ commit: Int) -> [String] {
    guard commit > 0 else { return [] }
    let lines = diarists(commit).map { diarist in
      "\(diarist) true \(commit) \(pages(commit).map { diarist * 10 + $0 })"
    }
    return lines + (commit > 1 ? ["\(10_000 + commit - commit % 2)"] : [])
  }
}
