import Foundation
import SyncStack
import TestSupport
import Testing

/// Annotations, primary keys and inheritance.
@Suite(.timeLimit(.minutes(5))) struct KeyBehaviourTests {
  /// Entity, local key, remote key, a key in JSON and as stored.
  static let table:
    [(entity: String, local: String, remote: String, json: String, stored: String)] = [
      ("User", "remoteID", "id", "7", "7"), ("SimpleID", "id", "id", #""a""#, "a"),
      ("Note", "uniqueID", "unique_id", "7", "7"), ("Tag", "randomId", "id", #""a""#, "a"),
      ("AlternativeID", "alternativeID", "alternative_id", #""a""#, "a"),
      ("Compatibility", "custom", "greeting", #""hello""#, "hello"),
      ("Contract", "contractID", "contract_id", "7", "7"),
      ("Lower", "id", "id", "7", "7"), ("Both", "id", "id", "7", "7"),
    ]

  @Test(arguments: table) func everyEntityHasALocalAndARemoteKey(
    _ row: (entity: String, local: String, remote: String, json: String, stored: String)
  ) throws {
    let stack = try DataStack.opened("PrimaryKey")
    #expect(try stack.model.requireEntity(named: row.entity).primaryKey?.name == row.local)
    for name in ["one", "two"] {
      let key = row.entity == "Both" ? "title" : "name"
      let json = #"[{"\#(row.remote)": \#(row.json), "\#(key)": "\#(name)"}]"#
      try stack.sync(dictionaries(json), inEntityNamed: row.entity)
      #expect(try stack.shown(row.entity, "\(row.local) name") == ["\(row.stored) \(name)"])
    }
  }

  @Test func theKeyIsFoundUnderEverySpellingThatFillsTheAttribute() throws {
    let stack = try DataStack.opened("PrimaryKey")
    for key in ["contract_id", "contractID"] {
      try stack.sync(
        dictionaries(#"[{"\#(key)": 7, "name": "\#(key)"}]"#), inEntityNamed: "Contract")
      #expect(try stack.shown("Contract", "contractID name") == ["7 \(key)"])
    }
    for json in [#"[{"meta": {"code": "x"}}]"#, #"[{"code": "x", "name": "n"}]"#] {
      try stack.sync(dictionaries(json), inEntityNamed: "Deep")
      #expect(try stack.count("Deep") == 1)
    }
  }

  @Test func nestedObjectsOfAnAbstractDestinationAreAnErrorThatNamesIt() throws {
    let stack = try DataStack.opened("Families")
    expectError("SyncError", "Shape", "abstract") {
      try stack.sync(dictionaries(#"[{"id": 1, "shapes": [{"id": 5}]}]"#), inEntityNamed: "Drawing")
    }
    try stack.sync(dictionaries(#"[{"id": 5}]"#), inEntityNamed: "Circle")
    try stack.sync(dictionaries(#"[{"id": 1, "shapes_ids": [5]}]"#), inEntityNamed: "Drawing")
    #expect(try stack.shown("Drawing", "shapes") == ["{5}"])
    try stack.sync(
      dictionaries(#"[{"id": 1, "shapes": [{"id": 5, "type": "round"}]}]"#),
      inEntityNamed: "Drawing")
    #expect(try stack.shown("Circle", "shapeType drawing") == ["round 1"])
  }
}
