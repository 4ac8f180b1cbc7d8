import SyncGraph
import TestSupport

/// How a child context is related to its parent.
enum Kinship: CaseIterable, Sendable {
  /// Both on one background queue.
  case sameQueue
  /// Each on a background queue of its own.
  case ownQueues
  /// Both on the main queue.
  case mainQueue
  /// An own queue below the main context.
  case belowMain
  /// The main queue below a background context.
  case aboveBackground
  /// A child of a child, each on a queue of its own.
  case grandchild
}

/// A stored user and two unsaved ones: a child context has to see them, whatever its queue.
///
/// | user | name | age | state in the parent |
/// |---|---|---|---|
/// | 1 | Ann | 10 | edited: its age was 1 |
/// | 2 | Bob | 20 | as stored, with two notes |
/// | 3 | Cid | 30 | deleted |
/// | 4 | Dan | 40 | inserted, with one note |
struct ChildScene {
  let stack: DataStack
  let parent: ManagedObjectContext
  let child: ManagedObjectContext

  /// The context that writes to the store.
  let root: ManagedObjectContext

  init(_ kinship: Kinship) throws {
    let stack = try DataStack.social()
    let background = stack.newBackgroundContext()
    self.stack = stack
    switch kinship {
    case .sameQueue, .ownQueues, .aboveBackground, .grandchild: root = background
    case .mainQueue, .belowMain: root = stack.mainContext
    }
    switch kinship {
    case .sameQueue, .mainQueue:
      parent = root
      child = parent.newChildContext()
    case .ownQueues, .belowMain:
      parent = root
      child = parent.newChildContext(.privateQueue)
    case .aboveBackground:
      parent = root
      child = parent.newChildContext(.mainQueue)
    case .grandchild:
      parent = root.newChildContext(.privateQueue)
      child = parent.newChildContext(.privateQueue)
    }
    try Self.fill(root, parent)
  }

  private static func fill(_ root: ManagedObjectContext, _ parent: ManagedObjectContext) throws {
    try root.edit {
      for (id, name) in [(1, "Ann"), (2, "Bob"), (3, "Cid")] as [(Int64, String)] {
        let user = root.insertUser(id, name, age: id == 1 ? 1 : id * 10)
        for number in 0..<(id == 2 ? 2 : 0) as Range<Int64> {
          root.insertNote(id * 10 + number, of: user)
        }
      }
    }
    try parent.performAndWait {
      let users = try parent.fetch(Fetch<User>())
      users[0].age = 10
      parent.delete(users[2])
      let user = parent.insertUser(4, "Dan", age: 40)
      parent.insertNote(40, of: user)
    }
  }

  /// Runs the body in the child.
  func inChild<Result: Sendable>(
    _ body: (ManagedObjectContext) throws -> Result
  ) rethrows -> Result {
    try child.performAndWait { try body(child) }
  }

  /// Runs the body in the parent.
  func inParent<Result: Sendable>(
    _ body: (ManagedObjectContext) throws -> Result
  ) rethrows -> Result {
    try parent.performAndWait { try body(parent) }
  }

  /// Saves everything between the child and the store.
  func saveParents() throws {
    var context: ManagedObjectContext? = parent
    while let current = context {
      try current.performAndWait { try current.save() }
      context = current.parent
    }
  }

  /// The users that a context over the same store finds: names by number.
  func stored() throws -> [Int64: String] {
    let reader = stack.newBackgroundContext()
    return try reader.performAndWait { try reader.names() }
  }
}

extension ManagedObjectContext {
  /// The user of a number; to be called on the context's queue.
  func user(_ id: Int64) throws -> User {
    let users = try fetch(Fetch<User>("id == %@", id))
    guard users.count == 1 else {
      throw GraphError(.notFound, message: "There are \(users.count) users \(id).")
    }
    return users[0]
  }

  /// Names by number.
  func names() throws -> [Int64: String] {
    let pairs = try fetch(Fetch<User>()).map { ($0.id, $0.name ?? "") }
    return Dictionary(pairs, uniquingKeysWith: { $0 + " and " + $1 })
  }
}
