import Foundation
import SyncStack
import Testing

final class GitHubUser: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var login: String?
}
final class GitHubRepo: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var fullName: String?
  @ToOne var owner: GitHubUser?
}
final class GitHubLabel: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
}
final class GitHubMilestone: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var title: String?
  @Attribute var dueOn: Date?
}
final class GitHubIssue: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var title: String?
  @ToOne var user: GitHubUser?
  @ToOne var milestone: GitHubMilestone?
  @ToMany var labels: Set<GitHubLabel>
  @ToMany var assignees: Set<GitHubUser>
}

/// Five lists of GitHub as the page *An import of many lists* reads them, from answers of its form:
/// arrays in pages that a `Link` header leads on from, with users and labels nested everywhere.
@Suite(.timeLimit(.minutes(5))) struct GitHubWalkTests {
  private static func read(_ api: WalkServer, into stack: DataStack) async throws -> ImportReport {
    let github = Import(named: "github", into: stack) {
      for (entity, path) in [
        ("GitHubUser", "orgs/acme/members"), ("GitHubRepo", "orgs/acme/repos"),
        ("GitHubLabel", "repos/acme/shop/labels"),
        ("GitHubMilestone", "repos/acme/shop/milestones?state=all"),
        ("GitHubIssue", "repos/acme/shop/issues?state=all&per_page=100"),
      ] {
        Feed(entity) { place in
          let (data, response) = try await api.get(place ?? path)
          return try FeedPage(data, response)
        }
      }
    }
    return try await stack.run(github)
  }

  private static func user(_ id: Int) -> JSONValue {
    [
      "login": .string("u\(id)"), "id": .integer(Int64(id)), "node_id": "MDQ6VXNlcjE=",
      "avatar_url": .string("https://avatars.example/u/\(id)?v=4"), "gravatar_id": "",
      "type": "User", "site_admin": false,
    ]
  }

  private static func label(_ id: Int) -> JSONValue {
    [
      "id": .integer(Int64(id)), "node_id": "MDU6TGFiZWwy", "name": .string("label \(id)"),
      "color": "f29513", "default": true, "description": .null,
    ]
  }

  private static func milestone(_ id: Int) -> JSONValue {
    [
      "id": .integer(Int64(id)), "number": .integer(Int64(id)), "state": "open",
      "title": .string("v\(id)"), "creator": user(1), "open_issues": 4,
      "due_on": "2026-10-09T23:39:01Z",
    ]
  }

  private static func issue(_ id: Int) -> JSONValue {
    [
      "id": .integer(Int64(id)), "number": .integer(Int64(1300 + id)), "state": "open",
      "title": .string("Issue \(id)"), "body": "It does not work.",
      // A user outside of the organisation, who is nested and nowhere else.
      "user": user(id % 2 == 0 ? 1 : 90), "assignee": user(2), "assignees": [user(2), user(3)],
      "labels": [label(1), label(id % 3 + 1)], "milestone": id % 4 == 0 ? .null : milestone(1),
      "closed_at": id == 1 ? "2026-01-09T13:12:00Z" : .null, "comments": 0,
      "reactions": ["+1": 3, "total_count": 5],
    ]
  }

  private static func lists(
    users: Int, labels: Int, issues: ClosedRange<Int>
  ) -> [String: [JSONValue]] {
    [
      "/orgs/acme/members": (1...users).map(user),
      "/orgs/acme/repos": [
        ["id": 7, "name": "shop", "full_name": "acme/shop", "private": false, "owner": user(1)]
      ],
      "/repos/acme/shop/labels": (1...labels).map(label),
      "/repos/acme/shop/milestones": (1...2).map(milestone),
      "/repos/acme/shop/issues": issues.map(issue),
    ]
  }

  @Test func fiveListsOfGitHubAreReadWithTheirLinks() async throws {
    let stack = try DataStack(
      model: ManagedObjectModel(
        GitHubUser.self, GitHubRepo.self, GitHubLabel.self, GitHubMilestone.self, GitHubIssue.self),
      store: .inMemory)
    let server = try WalkServer(pageSize: 3) { path, number, size in
      let list = Self.lists(users: 4, labels: 4, issues: 1...8)[path] ?? []
      return (.array(Array(list.dropFirst((number - 1) * size).prefix(size))), list.count)
    }
    let report = try await Self.read(server, into: stack)
    #expect(report["GitHubIssue"]?.pages == 3 && report["GitHubIssue"]?.items == 8)
    #expect(report.changes.findings.filter { $0.kind == .skippedItem }.isEmpty)
    let context = stack.newBackgroundContext()
    try await context.perform {
      let issue = try #require(try context.fetch(Fetch<GitHubIssue>(where: { $0.$id == 1 })).first)
      #expect(issue.title == "Issue 1" && issue.user?.login == "u90")
      #expect(issue.labels.map(\.id).sorted() == [1, 2])
      #expect(issue.assignees.map(\.id).sorted() == [2, 3] && issue.milestone?.title == "v1")
      #expect(issue.milestone?.dueOn != nil)
      let repo = try #require(try context.fetch(Fetch<GitHubRepo>()).first)
      #expect(repo.fullName == "acme/shop" && repo.owner?.login == "u1")
      #expect(try context.count(Fetch<GitHubUser>()) == 5, "four members and one from elsewhere")
    }
    let again = try await Self.read(server, into: stack)
    #expect(again.changes.isUnchanged, "\(again)")
    let later = try WalkServer(pageSize: 3) { path, number, size in
      let list = Self.lists(users: 3, labels: 3, issues: 2...7)[path] ?? []
      return (.array(Array(list.dropFirst((number - 1) * size).prefix(size))), list.count)
    }
    let rest = try await Self.read(later, into: stack)
    #expect(rest.changes.deleted == 4, "\(rest): user 4, label 4, issues 1 and 8")
  }
}
