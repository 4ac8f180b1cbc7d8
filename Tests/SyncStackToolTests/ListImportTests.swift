import Foundation
import SyncStack
import Testing

@testable import SyncStackTool

/// Several lists that one import stores together, and tables as lists.
@Suite struct ListImportTests {
  private let bench: ToolBench
  private let model: String

  init() throws {
    bench = try ToolBench()
    model = try bench.file(
      "League.xml",
      """
      <model>
        <entity name="Team" syncable="YES">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="captain" optional="YES" maxCount="1" destinationEntity="Player" inverseName="leads" inverseEntity="Player"/>
          <relationship name="players" optional="YES" toMany="YES" destinationEntity="Player" inverseName="team" inverseEntity="Player"/>
        </entity>
        <entity name="Player" syncable="YES">
          <attribute name="id" optional="YES" attributeType="Integer 64"/>
          <attribute name="name" optional="YES" attributeType="String"/>
          <attribute name="born" optional="YES" attributeType="Date"/>
          <relationship name="leads" optional="YES" maxCount="1" destinationEntity="Team" inverseName="captain" inverseEntity="Team"/>
          <relationship name="team" optional="YES" maxCount="1" destinationEntity="Team" inverseName="players" inverseEntity="Team"/>
        </entity>
      </model>
      """)
  }

  private func importing(
    _ words: String...
  ) async -> ToolBench.Outcome {
    await bench.run(["import"] + words + ["--model", model, "--store", bench.store])
  }

  private func stored() throws -> [String] {
    let stack = try DataStack(
      model: ManagedObjectModel(contentsOf: URL(filePath: model)),
      store: .sqlite(URL(filePath: bench.store)))
    defer { try? stack.close() }
    return try stack.rows(
      """
      SELECT Team.name AS team, Player.name AS player, captain.name AS captain
      FROM Player LEFT JOIN Team ON Team._row = Player.team
      LEFT JOIN Player AS captain ON captain._row = Team.captain ORDER BY Player.id
      """
    ).map { row in row.values.map(\.description).joined(separator: " ") }
  }

  /// A circle: teams name their captains, players their teams.
  private func files() throws -> (teams: String, players: String) {
    (
      try bench.file("teams.csv", "id,name,captain_id\n1,Red,8\n2,\"Blue, old\",\n"),
      try bench.file(
        "answer.json",
        """
        {"data": {"players": [{"id": 7, "name": "Ann", "team_id": 1},
          {"id": 8, "name": "Bob", "team_id": 1}, {"id": 9, "name": "Cid", "team_id": 2}]}}
        """)
    )
  }

  private static let expected = ["Red Ann Bob", "Red Bob Bob", "Blue, old Cid nil"]

  @Test func listsAreStoredTogether() async throws {
    let (teams, players) = try files()
    let result = await importing(
      "--list", "Team=\(teams)", "--list", "Player=\(players)@data.players")
    #expect(result.code == .done, "\(result.error)")
    #expect(try stored() == ListImportTests.expected)
    let again = await importing(
      "--list=Player=\(players)@data.players", "--list=Team=\(teams)", "--json")
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(again.output.utf8))
    #expect(report.inserted + report.updated + report.deleted == 0 && report.itemCount == 5)
  }

  @Test func aPlanSaysTheSame() async throws {
    _ = try files()
    let plan = try bench.file(
      "plan.json",
      """
      {"lists": [
        {"entity": "Team", "file": "teams.csv", "format": "csv"},
        {"entity": "Player", "file": "answer.json", "at": "data.players",
         "operations": ["insert", "update", "relationships"], "where": "id > 6"}
      ]}
      """)
    let trial = await importing("--plan", plan, "--dry-run")
    #expect(trial.code == .done, "\(trial.error)")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
    #expect(await importing("--plan", plan).code == .done)
    #expect(try stored() == ListImportTests.expected)
    // What a list may not delete stays.
    _ = try bench.file("answer.json", "{\"data\": {\"players\": []}}")
    #expect(await importing("--plan", plan).code == .done)
    #expect(try stored().count == 3)
  }

  @Test(arguments: [
    ("{\"lists\": []}", "it takes {\"lists\""), ("[1", "is no JSON"),
    ("{\"lists\": [{\"entity\": \"Team\"}]}", "lists[0] takes an entity and a file"),
    ("{\"list\": [], \"lists\": [{}]}", "knows no “list”"),
    ("{\"lists\": [{\"entity\": \"Team\", \"file\": \"a\", \"path\": 1}]}", "knows no “path”"),
    ("{\"lists\": [{\"entity\": \"Team\", \"file\": 7}]}", "lists[0].file is no text"),
    (
      "{\"lists\": [{\"entity\": \"Team\", \"file\": \"a\", \"format\": \"xml\"}]}",
      "lists[0].format takes one of json-api, csv; “xml” is none"
    ),
    (
      "{\"lists\": [{\"entity\": \"Team\", \"file\": \"a\", \"operations\": [\"inserts\"]}]}",
      "lists[0].operations does not know “inserts”"
    ),
    ("{\"lists\": [{\"entity\": \"Team\", \"file\": \"none.json\"}]}", "There is no file"),
    ("{\"lists\": [{\"entity\": \"Tem\", \"file\": \"teams.csv\"}]}", "Tem"),
  ])
  func plansThatDoNotFitSayWhere(_ plan: String, _ reason: String) async throws {
    _ = try files()
    let result = await importing("--plan", try bench.file("plan.json", plan))
    #expect(result.code != .done && result.error.contains(reason), "\(result.error)")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test(arguments: [
    (["--list", "Team"], "ENTITY=FILE[@PATH]"), (["--list", "Team=a@"], "ENTITY=FILE[@PATH]"),
    (["--list", "Team=a", "--entity", "Team"], "--list and --entity exclude each other"),
    (["--list", "Team=a", "--at", "x"], "--list and --at exclude each other"),
    (["--list", "Team=a", "b.json"], "--list and a FILE exclude each other"),
    (["--list", "Team=-", "--list", "Player=-"], "can be read once"),
    (["--plan", "p.json", "--list", "Team=a"], "--plan and --list exclude each other"),
    (["--plan", "p.json", "--session", "s"], "--plan and --session exclude each other"),
    (["a.json"], "--entity is missing"),
    (["a.csv", "--entity", "Team", "--format", "csv", "--at", "x"], "a table is a list itself"),
  ])
  func listsSayEverythingThemselves(_ words: [String], _ reason: String) async throws {
    let result = await bench.run(["import"] + words + ["--model", model, "--store", bench.store])
    #expect(result.code == .usage && result.error.contains(reason), "\(result.error)")
  }

  @Test func aTableThatIsNoneStoresNothingOfAnyList() async throws {
    let (_, players) = try files()
    let teams = try bench.file("teams.csv", "id,name\n1,Red\n2\n")
    let result = await importing(
      "--list", "Player=\(players)@data.players", "--list", "Team=\(teams)")
    #expect(result.code == .failed)
    #expect(
      result.error.contains("“teams.csv” cannot be read: line 3, column 1"), "\(result.error)")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test(arguments: [#"{"data": {"players": [{"id": 7"#, #"{"data": {}}"#])
  func theListThatCannotBeReadIsNamed(_ json: String) async throws {
    let (teams, _) = try files()
    let players = try bench.file("answer.json", json)
    let result = await importing(
      "--list", "Team=\(teams)", "--list", "Player=\(players)@data.players")
    expect(result, .failed, error: "Stopped at \(players) (Player).")
  }

  // MARK: - Tables

  @Test(arguments: [("players.csv", false), ("players.tsv", false), ("players.txt", true)])
  func tablesAreTakenByEveryCommand(_ name: String, _ isTold: Bool) async throws {
    let separator = name.hasSuffix("tsv") ? "\t" : ","
    let table =
      ["id", "name", "born"].joined(separator: separator) + "\n"
      + ["1", "Ann", "2001-02-03"].joined(separator: separator) + "\n"
    let file = try bench.file(name, table)
    let more = isTold ? ["--format", "csv"] : []
    let result = await bench.run(
      ["import", file, "--model", model, "--entity", "Player", "--store", bench.store] + more)
    #expect(result.code == .done, "\(result.error)")
    #expect(try stored() == ["nil Ann nil"])
    let doctor = await bench.run(["doctor", file, "--model", model, "--entity", "Player"] + more)
    #expect(doctor.output.contains("Everything maps: 1 Player."), "\(doctor.output)")
    let drawn = await bench.run(["model", "--from", file, "--entity", "Player"] + more)
    #expect(drawn.output.contains("attributeType=\"Integer 64\""), "\(drawn.error)")
  }
}
