import Foundation
import SyncStack
import TestSupport

@testable import SyncStore

/// A file with some of everything in it, closed, in which tests put numbers that no store writes.
struct DamagedStore {
  let folder: TemporaryFolder

  var url: URL { folder.file() }

  static let entities = [
    """
    User: id, name, notes ->> Note.user ordered cascade, tags ->> Tag.users ordered,
    friends ->> User.friends, partner -> User.partner, pet -> Animal
    """,
    "Note: id, text, user -> User.notes",
    EntityDraft("Tag", ["id string", "users ->> User.tags"], uniquenessConstraints: [["id"]]),
    "Animal: id, name",
    "Dog < Animal: breed",
  ]

  static let users: JSONValue = [
    [
      "id": 1, "name": "Ann", "notes": [["id": 11], ["id": 12]],
      "tags": [["id": "a"], ["id": "b"]],
      "friends": [["id": 2]], "partner": ["id": 2], "pet": ["id": 7, "name": "Cat"],
    ],
    ["id": 2, "name": "Bob", "notes": [["id": 13]], "tags": [["id": "b"]]],
    ["id": 3, "name": "Cyd", "notes": [], "tags": []],
  ]

  /// Made once: each test works on a copy.
  private static let original = Result { try DamagedStore(making: ()) }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.copyItem(at: DamagedStore.original.get().url, to: url)
  }

  private init(making: Void) throws {
    folder = try TemporaryFolder()
    let stack = try open()
    try stack.sync(DamagedStore.users, inEntityNamed: "User")
    try stack.sync([["id": 8, "name": "Rex", "breed": "Pug"]] as JSONValue, inEntityNamed: "Dog")
    try stack.sync(DamagedStore.users, inEntityNamed: "User")
    try stack.close()
  }

  /// Opens the file, perhaps with another model.
  func open(adding attribute: String? = nil) throws -> DataStack {
    var entities = DamagedStore.entities
    if let attribute {
      for index in entities.indices {
        entities[index].properties.append(.attribute(attribute + entities[index].name, .string))
      }
    }
    return try DataStack(
      model: ManagedObjectModel(entities), store: .sqlite(url), tracksChanges: true)
  }

  /// Runs statements as another program would, without asking the library.
  func execute(_ statements: String...) throws {
    let connection = try Connection(path: url.path, options: .init(), recorder: StatementRecorder())
    defer { connection.close() }
    for statement in statements { try connection.execute(statement) }
  }

  /// The first column of the first row.
  func scalar(_ statement: String) throws -> Int64? {
    let connection = try Connection(path: url.path, options: .init(), recorder: StatementRecorder())
    defer { connection.close() }
    return try connection.scalar(statement)
  }
}
