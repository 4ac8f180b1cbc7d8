import SyncStack
import TestSupport

/// A stack in memory with people and their posts, whose annotations a test chooses.
struct ShapeBench {
  let stack: DataStack

  init(
    person: [String: String] = [:], post: [String: String] = [:], posts: [String: String] = [:],
    remoteKey: String? = nil, keyType: AttributeType = .string,
    store: DataStack.Location = .inMemory
  ) throws {
    let model = try ManagedObjectModel([
      EntityDraft(
        "Person",
        [
          .attribute("id", keyType), "name", "age integer64", "handle",
          .toMany(
            "posts", to: "Post", inverse: "person", deleteRule: .cascade, remoteKey: remoteKey,
            userInfo: posts),
        ], userInfo: person),
      EntityDraft("Post", ["id string", "title", "person -> Person.posts"], userInfo: post),
    ])
    stack = try DataStack(model: model, store: store)
  }

  @discardableResult
  func sync(
    _ json: String, at path: JSONPath? = nil, _ operations: SyncOperations = .all,
    entity: String = "Person"
  ) throws -> SyncReport {
    try stack.sync(json, inEntityNamed: entity, operations: operations, at: path)
  }

  /// `key name` of each person, in the order of the keys.
  func people(_ property: String = "name") throws -> [String] {
    try objects("Person", property)
  }

  /// `key title owner` of each post.
  func posts() throws -> [String] {
    try stack.inBackground { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: "Post").sorted(by: "id")).map { post in
        let owner = (post.value(forKey: "person") as? ManagedObject)?.value(forKey: "id")
        return "\(post.text("id")) \(post.text("title")) \(owner.map { "\($0)" } ?? "-")"
      }
    }
  }

  func objects(_ entity: String, _ property: String) throws -> [String] {
    try stack.inBackground { context in
      try context.fetch(Fetch<ManagedObject>(entityNamed: entity).sorted(by: "id")).map {
        "\($0.text("id")) \($0.text(property))"
      }
    }
  }
}

extension ManagedObject {
  fileprivate func text(_ property: String) -> String {
    value(forKey: property).map { "\($0)" } ?? "-"
  }
}
