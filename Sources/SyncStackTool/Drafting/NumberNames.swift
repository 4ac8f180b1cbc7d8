import SyncStack

/// Tells from the name of a number whether whole numbers are all that will ever come.
enum NumberNames {
  /// Whether a key names, counts or dates something, for which there are no fractions.
  static func isWhole(_ key: String) -> Bool {
    let words = Inflection.naturalSnake(key).split(separator: "_").map(String.init)
    guard let last = words.last else { return false }
    return names.contains(last) || counted.contains(last) || last.hasSuffix("count")
      || (last.hasSuffix("id") && DraftNames.endsInID(last))
      || words.contains { $0 == "count" || $0 == "num" } || words.starts(with: ["number", "of"])
      || (words.count > 1 && words[0] == "n")
  }

  /// Of one thing.
  private static let names: Set<String> = [
    "id", "ids", "no", "nr", "num", "number", "code", "index", "idx", "position", "pos", "order",
    "rank", "ordinal", "seq", "sequence", "version", "revision", "rev", "generation", "port",
    "status", "type", "kind", "level", "priority", "year", "month", "day", "week", "weekday",
    "quarter", "age", "season", "episode", "chapter", "page", "offset", "limit", "bytes", "bits",
    "flags", "population", "count", "counts", "counter", "zip", "isbn", "pk", "fk",
  ]

  /// Of many things that come whole.
  private static let counted: Set<String> = [
    "comments", "replies", "likes", "dislikes", "favorites", "favourites", "followers",
    "following", "friends", "members", "users", "people", "views", "visits", "visitors",
    "downloads", "installs", "plays", "forks", "stars", "watchers", "stargazers", "subscribers",
    "votes", "upvotes", "downvotes", "ups", "downs", "retweets", "posts", "tweets", "messages",
    "items", "pages", "issues", "commits", "contributions", "contributors", "repos",
    "repositories", "gists", "descendants", "children", "seats", "rooms", "beds", "bedrooms",
    "floors", "tracks", "episodes", "seasons", "goals", "wins", "losses", "draws", "matches",
    "attempts", "retries", "copies", "words", "characters", "lines",
  ]
}
