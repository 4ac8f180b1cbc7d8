import Foundation
import SyncStack
import TestSupport
import Testing

/// Tables as payloads: a row is an object, a field a text that the mapping turns into its
/// attribute's type.
@Suite struct CSVTests {
  final class Fellow: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute var name: String?
    @Attribute var zip: String?
    @Attribute var age: Int?
    @Attribute var score: Double?
    @Attribute var balance: Decimal?
    @Attribute var isActive: Bool?
    @Attribute var joinedAt: Date?
    @Attribute var token: UUID?
    @ToOne(inverse: "fellows") var band: Band?
  }

  final class Band: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute var name: String?
    @ToMany var fellows: Set<Fellow>
  }

  private let stack: DataStack

  init() throws {
    stack = try DataStack(model: ManagedObjectModel(Fellow.self, Band.self), store: .inMemory)
  }

  private func rows(_ sql: String) throws -> [[Value]] { try stack.rows(sql).map(\.values) }

  @Test func fieldsBecomeValuesOfTheirAttributes() throws {
    let table = #"""
      id,name,zip,age,score,balance,is_active,joined_at,token,band_id
      7,"Doe, ""Ann""",08001,,1.5,12.50,true,2026-11-24T10:00:00Z,6f9619ff-8b86-d011-b42d-00c04fc964ff,3
      8,"",,40,-2e3,,no,,,
      """#
    try stack.sync("[{\"id\": 3}]", inEntityNamed: "Band")
    let report = try stack.sync(.csv(table), inEntityNamed: "Fellow")
    #expect(report.inserted == 2 && report.skipped == 0, "\(report)")
    let found = try stack.rows("SELECT * FROM Fellow ORDER BY id")
    let ann = found[0]
    #expect(ann["name"] == "Doe, \"Ann\"" && ann["zip"] == "08001" && ann["age"] == .null)
    #expect(try ann.value("score", as: Double.self) == 1.5)
    #expect(try ann.value("balance", as: Decimal.self) == 12.5)
    #expect(try ann.value("isActive", as: Bool.self))
    let date = try Date("2026-11-24T10:00:00Z", strategy: .iso8601)
    #expect(try ann.value("joinedAt", as: Date.self) == date)
    #expect(
      try ann.value("token", as: UUID.self).uuidString == "6F9619FF-8B86-D011-B42D-00C04FC964FF")
    #expect(ann["band"] == 1)
    // Without quotes an empty field is nothing, in quotes it is the empty text.
    let other = found[1]
    #expect(other["name"] == "" && other["zip"] == .null && other["age"] == 40)
    #expect(try other.value("score", as: Int.self) == -2000)
    #expect(try other.value("isActive", as: Bool?.self) == false)
    #expect(other["band"] == .null)
  }

  @Test(arguments: [
    ("id,name\n1,a\n2,b\n", #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#),
    ("\u{FEFF}id;name\r\n1;a,b\r\n", #"[{"id":1,"name":"a,b"}]"#),
    ("id\tname\r1\ta;b", #"[{"id":1,"name":"a;b"}]"#),
    ("\"id\",\"na,me\"\n\"1\",\"x\ny\r\nz\"", #"[{"id":"1","na,me":"x\ny\r\nz"}]"#),
    (" id , name \n1, a ", #"[{"id":1,"name":" a "}]"#),
    ("id,name\n\n1,\n\r\n\n", #"[{"id":1,"name":null}]"#),
    ("id,name\n1,\"\"\"\"\n", #"[{"id":1,"name":"\""}]"#), ("id,name", "[]"),
    ("name\nGrüße\n", #"[{"name":"Grüße"}]"#),
    (
      "a,b,c,d,e,f\n-1.50,007,0,true,1-2,+1",
      #"[{"a":-1.5,"b":"007","c":0,"d":true,"e":"1-2","f":"+1"}]"#
    ),
  ])
  func rowsBecomeObjects(_ table: String, _ json: String) throws {
    let found = try CSVTable.guessed(Data(table.utf8), name: nil)
    #expect(try JSONValue(parsing: found) == JSONValue(parsing: Data(json.utf8)))
  }

  @Test(arguments: [
    ("", "line 1, column 1: there is no line of names"),
    ("id,,name\n", "line 1, column 2: it has no name"),
    ("id,id\n", "line 1, column 2: it is called “id”"),
    ("id,name\n1,a\n2\n", "line 3, column 1 (“id”): the row ends here"),
    ("id,name\n1,a,b\n", "line 2, column 2 (“name”): the row goes on"),
    ("id,name\n1,a \"b\"\n", "line 2, column 2 (“name”): a quotation mark stands within it"),
    ("id,name\n\"1\n\n\",\"b\" c\n", "line 4, column 2 (“name”): more stands behind"),
    ("id,name\r\n1,a\r\n2,\"b\r\n3,c\r\n", "line 3, column 2 (“name”): its quotation mark"),
  ])
  func tablesThatAreNoneSayWhere(_ table: String, _ place: String) throws {
    try stack.sync("[{\"id\": 9}]", inEntityNamed: "Fellow")
    expectError("SyncError unreadablePayload", place) {
      try stack.sync(.csv(table), inEntityNamed: "Fellow")
    }
    #expect(try rows("SELECT id FROM Fellow") == [[9]])
  }

  @Test(arguments: [
    (
      Data("id,name\n1,Gr".utf8) + [0xFC] + Data("n\n".utf8), "line 2, column 2 (“name”)",
      "WINDOWS-1252"
    ),
    (Data([0xFF, 0xFE, 0x69, 0, 0x64, 0]), "line 1, column 1", "UTF-16"),
  ])
  func otherEncodingsAreNamed(_ table: Data, _ place: String, _ encoding: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("fellows.csv")
    try table.write(to: url)
    expectError("SyncError", "“fellows.csv”", "\(place): it is no UTF-8", "iconv -f \(encoding) ") {
      try stack.sync(.csv(url), inEntityNamed: "Fellow")
    }
  }

  /// A table is a list like any other: its rows are all that there is.
  @Test func rowsThatAreGoneAreDeleted() throws {
    try stack.sync(.csv("id,name\n1,a\n2,b\n"), inEntityNamed: "Fellow")
    let report = try stack.sync(.csv("id,name\n2,b\n3,c\n"), inEntityNamed: "Fellow")
    #expect(report.inserted == 1 && report.deleted == 1 && report.updated == 0)
    try stack.sync(.csv("id,name\n"), inEntityNamed: "Fellow")
    #expect(try rows("SELECT id FROM Fellow").isEmpty)
  }

  @Test func tablesAreReadInPieces() async throws {
    let lines = (0..<20_000).map { "\($0),name \($0),\"x\"\"\n\($0)\"\n" }
    let data = Data(("id,name,zip\n" + lines.joined()).utf8)
    let pieces = stride(from: 0, to: data.count, by: 999).map { start in
      data[start..<min(start + 999, data.count)]
    }
    let stream = AsyncStream<Data> { continuation in
      for piece in pieces { continuation.yield(Data(piece)) }
      continuation.finish()
    }
    let report = try await stack.sync(.csv(.chunks(stream)), inEntityNamed: "Fellow")
    #expect(report.inserted == 20_000)
    #expect(
      try rows("SELECT count(*), max(id), max(zip) FROM Fellow") == [[20_000, 19_999, "x\"\n9999"]])
  }

  @Test func tablesAreListsOfASync() throws {
    let report = try stack.sync([
      .list(.csv("id,name,band_id\n1,Ann,3\n"), of: "Fellow"),
      .list("{\"bands\": [{\"id\": 3, \"name\": \"Red\"}]}", of: "Band", at: "bands"),
    ])
    #expect(report.inserted == 2)
    #expect(
      try rows("SELECT Band.name FROM Fellow JOIN Band ON Band._row = Fellow.band") == [["Red"]])
  }
}
