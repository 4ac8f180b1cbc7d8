import SyncCore
import SyncGraph

/// Subclasses with computed properties over keys instead of wrappers.
extension Library {
  final class HandwrittenBook: ManagedObject {
    override class var entityName: String { "Book" }

    var title: String? {
      get { value(forKey: "title", as: String.self) }
      set { setValue(newValue, forKey: "title") }
    }

    var pages: Int {
      get { value(forKey: "pages", as: Int.self) ?? 0 }
      set { setValue(newValue, forKey: "pages") }
    }

    /// Nothing that is stored.
    var isLong: Bool { pages > 500 }
  }

  final class HandwrittenAuthor: ManagedObject {
    override class var entityName: String { "Author" }

    var name: String {
      get { value(forKey: "name", as: String.self) ?? "" }
      set { setValue(newValue, forKey: "name") }
    }

    var bookTitles: [String] {
      let books = value(forKey: "books") as? Set<ManagedObject> ?? []
      return books.compactMap { $0["title"] as? String }.sorted()
    }
  }

  static let handwritten: [ManagedObject.Type] = [HandwrittenBook.self, HandwrittenAuthor.self]
}
