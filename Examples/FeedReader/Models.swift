import SyncStack

final class Article: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var title: String?
  @ToOne(inverse: "articles") var author: Author?
}

final class Author: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var name: String?
  @ToMany(inverse: "author") var articles: Set<Article>
}

extension DataStack {
  /// A stack for articles.
  static func articles(_ location: Location) throws -> DataStack {
    try DataStack(model: ManagedObjectModel(Article.self, Author.self), store: location)
  }

  /// Everything that is stored, an article a line.
  func articleLines() async throws -> [String] {
    let context = newBackgroundContext()
    return try await context.perform {
      try context.fetch(Fetch<Article>().sorted(by: "id")).map { article in
        "\(article.id) \(article.title ?? "") by \(article.author?.name ?? "nobody")"
      }
    }
  }
}
