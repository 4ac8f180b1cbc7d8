import Foundation
import SyncStack

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

final class Author: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(inverse: "author") var articles: Set<Article>
}

final class Article: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var title: String?
  @ToOne(inverse: "articles") var author: Author?
  @ToMany(inverse: "article", deleteRule: .cascade) var comments: Set<Comment>
}

final class Comment: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var text: String?
  @ToOne(inverse: "comments") var article: Article?
}

extension Import {
  /// The lists of a news server: all authors, all articles, and the comments that are new or deleted
  /// since the last run.
  ///
  /// A page is `{"items": […], "next": "articles?page=2"}`, and the last one has no next. That of
  /// comments has `"until": "comments?since=17"` then, where the next run begins.
  static func news(from api: URL, into stack: DataStack) -> Import {
    @Sendable func page(_ address: String) async throws -> FeedPage {
      guard let url = URL(string: address, relativeTo: api) else { throw URLError(.badURL) }
      let (data, response) = try await URLSession.shared.data(from: url)
      return try FeedPage(data, response, next: "next", resume: "until")
    }
    return Import(named: "news", into: stack) {
      Feed("Author", at: "items") { place in try await page(place ?? "authors") }
      Feed("Article", at: "items") { place in try await page(place ?? "articles") }
      Feed("Comment", .changes, at: "items", deletes: { $0["deleted"] == true }) { place in
        try await page(place ?? "comments")
      }
    }
  }
}

extension DataStack {
  /// A stack for news.
  static func news(_ location: Location) throws -> DataStack {
    try DataStack(
      model: ManagedObjectModel(Author.self, Article.self, Comment.self), store: location)
  }
}
