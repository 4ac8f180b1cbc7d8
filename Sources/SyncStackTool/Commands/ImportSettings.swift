import Foundation
import SyncStack

/// The options of `import`, read before anything is opened.
struct ImportSettings: Sendable {
  /// Where the JSON comes from.
  enum Source: Sendable, Equatable {
    case file(URL)
    case standardInput
  }

  /// The object whose children are synced.
  struct Parent: Sendable, Equatable {
    let entity: String
    let key: String
    let relationship: String?
  }

  enum ReportFormat: String, CaseIterable { case text, json, none }

  /// One, or the pages of a session; none where there are lists.
  let sources: [Source]
  /// Lists that are stored together, of the command line.
  private let givenLists: [ImportList]
  /// The file that has the lists.
  private let plan: URL?
  /// The name under which the store keeps the session of the pages; nil is not at all.
  let session: String?
  /// Objects in a transaction; nil is all of them.
  let batch: Int?
  /// Nil is the model that the store keeps.
  let model: URL?
  /// Empty where each list has one of its own.
  let entity: String
  let store: URL
  let path: String?
  let form: DocumentForm?
  let operations: SyncOperations
  let filter: String?
  let parent: Parent?
  let isDryRun: Bool
  let deletionGuard: DeletionGuard
  let onError: ItemErrorPolicy?
  let report: ReportFormat
  let log: URL?
  let mapping: MappingFile?
  let isQuiet: Bool
  /// Whether a store of another model is brought to the new one.
  let migrates: Bool
  /// Seconds to wait for another process that holds the store.
  let wait: Double

  static let syntax = CommandSyntax(
    name: "import", summary: "Brings a JSON file into a store and keeps the store in step with it.",
    operands: [
      .init(
        "FILE", required: false, repeats: true,
        "a JSON array, newline-delimited JSON, either packed with gzip, or - for the standard input; several "
          + "are pages of one "
          + "list: each is stored as it is read, once, and what none of them mentions is deleted at the "
          + "end"
      )
    ],
    options: [
      .init(
        "--model", value: "MODEL",
        "the .xcdatamodeld, .xcdatamodel or XML file; that of the store unless given"),
      .init(
        "--entity", value: "NAME", "the entity of the objects, where no --list or --plan says it"),
      .init(
        "--list", value: ImportList.placeholder, repeats: true,
        "one of several lists that are stored together, in the place of FILE: in one transaction, with "
          + "references between all of them; PATH is as for --at, and behind the last @"),
      .init(
        "--plan", value: "FILE",
        "such lists in a file: {\"lists\": [{\"entity\": \"Team\", \"file\": \"teams.csv\"}]}, each with at, "
          + "format, operations and where, too"),
      .init("--store", value: "FILE", required: true, "the SQLite file; made when there is none"),
      .init(
        "--at", value: "PATH",
        "where the array lies in the document, as in data.items; users.* for objects by their keys, "
          + "data.children[].data for objects inside elements, ['a.b'] for one key"),
      DocumentOption.option,
      MappingFile.option,
      .init(
        "--operations", value: "LIST", "what may happen, as in insert,update; everything by default"
      ),
      .init("--where", value: "PREDICATE", "which stored objects take part, as in 'age > 18'"),
      .init(
        "--parent", value: "ENTITY:ID[:RELATIONSHIP]", "the stored object whose children these are"),
      .init(
        "--on-error", value: "skip|quarantine|fail",
        "skip, the default, leaves out items that cannot be stored; quarantine keeps them for "
          + "'syncstack quarantine'; fail stores nothing"),
      .init("--stdin", "reads the standard input, as FILE - does, however much that is"),
      .init(
        "--per-batch", value: "N",
        "stores N objects at a time; what was stored stays when the import is stopped, and the same "
          + "import finds it unchanged"),
      .init(
        "--session", value: "NAME",
        "keeps which FILEs are stored: the same import goes on behind them when it was stopped, and "
          + "deletes at its end; --entity, --at, --where and --operations have to stay the same; "
          + "'syncstack sessions' lists what is kept"),
      .init("--dry-run", "says what would happen and stores nothing"),
      .init(
        "--guard", value: "on|off|LIMITS",
        "on, the default, refuses to delete more than 500 objects that are more than half of what is "
          + "stored, or more than 100 for an empty list; count=20,share=10%,empty=0 sets other limits; off "
          + "allows everything"),
      .init("--json", "the report as JSON"),
      .init(
        "--report", value: "text|json|none",
        "how the report is written; text by default, json as --json says shorter"),
      .init("--log", value: "FILE", "appends a line of JSON for every object that changed"),
      .init(
        "--migrate",
        "brings a store that was made with another model to this one; a copy of the file stays beside it"
      ),
      CommandSyntax.wait,
      .init("--quiet", "no progress and no text report"),
    ],
    example: "syncstack import users.json --model Demo.xml --entity User --store app.sqlite")

  init(_ arguments: Arguments) throws(UsageError) {
    givenLists = try arguments.all("--list").map { text throws(UsageError) in
      try ImportList(text, arguments)
    }
    plan = arguments["--plan"].map { URL(filePath: $0) }
    let hasLists = !givenLists.isEmpty || plan != nil
    if hasLists { try ImportSettings.checkLists(arguments, givenLists) }
    entity = hasLists ? "" : try arguments.required("--entity")
    sources = hasLists ? [] : try ImportSettings.sources(arguments)
    batch = try arguments.count("--per-batch")
    if batch == 0 { throw arguments.error("--per-batch takes a number above 0.") }
    session = try ImportSettings.session(arguments, sources)
    store = URL(filePath: try arguments.required("--store"))
    model = arguments["--model"].map { URL(filePath: $0) }
    if model == nil, !FileManager.default.fileExists(atPath: store.path) {
      throw arguments.error(
        "--model MODEL is missing: there is no store \(store.relativePath) yet, which would have one."
      )
    }
    path = arguments["--at"]
    form = try DocumentOption.form(arguments)
    mapping = MappingFile(arguments)
    operations = try ImportSettings.operations(arguments)
    filter = arguments["--where"]
    parent = try ImportSettings.parent(arguments)
    isDryRun = arguments.has("--dry-run")
    deletionGuard = try GuardLimits.parse(arguments)
    onError = try arguments.choice("--on-error")
    isQuiet = arguments.has("--quiet")
    report = try ImportSettings.report(arguments) ?? (isQuiet ? .none : .text)
    log = try arguments.output("--log", beside: store)
    migrates = arguments.has("--migrate")
    wait = try arguments.wait()
    if migrates, isDryRun { throw arguments.error("--migrate and --dry-run exclude each other.") }
    if parent != nil, filter != nil {
      throw arguments.error("--parent and --where exclude each other.")
    }
  }

  /// The lists that are stored together; none when the documents are one list.
  ///
  /// - Throws: ``ToolError`` when the plan cannot be read.
  func lists() throws -> [ImportList] {
    try plan.map { try ImportPlan($0).lists } ?? givenLists
  }

  /// Refuses the options that are about one list.
  private static func checkLists(_ arguments: Arguments, _ lists: [ImportList]) throws(UsageError) {
    if arguments.has("--plan"), !lists.isEmpty {
      throw arguments.error("--plan and --list exclude each other.")
    }
    let option = arguments.has("--plan") ? "--plan" : "--list"
    if !arguments.operands.isEmpty {
      throw arguments.error("\(option) and a FILE exclude each other.")
    }
    for other in [
      "--entity", "--at", "--format", "--where", "--parent", "--per-batch", "--session", "--stdin",
    ] where arguments.has(other) {
      throw arguments.error("\(option) and \(other) exclude each other: a list says that itself.")
    }
    if lists.count(where: { $0.source == .standardInput }) > 1 {
      throw arguments.error("The standard input can be read once.")
    }
  }

  private static func report(_ arguments: Arguments) throws(UsageError) -> ReportFormat? {
    let format: ReportFormat? = try arguments.choice("--report")
    guard arguments.has("--json") else { return format }
    if let format, format != .json {
      throw arguments.error("--json and --report \(format.rawValue) exclude each other.")
    }
    return .json
  }

  private static func sources(_ arguments: Arguments) throws(UsageError) -> [Source] {
    let files = arguments.operands
    if arguments.has("--stdin") {
      guard files.isEmpty || files == ["-"] else {
        throw arguments.error("--stdin and a FILE exclude each other.")
      }
      return [.standardInput]
    }
    if files.isEmpty { throw arguments.error("FILE is missing.") }
    if let address = files.first(where: { $0.hasPrefix("http://") || $0.hasPrefix("https://") }) {
      throw arguments.error(
        "“\(address)” is an address, no file. Let another program fetch it: "
          + "curl -fsS '\(address)' | syncstack import - with the same options.")
    }
    if files.count > 1 {
      for option in ["--parent", "--per-batch", "--dry-run"] where arguments.has(option) {
        throw arguments.error("\(option) goes with one FILE.")
      }
    }
    if files.count(where: { $0 == "-" }) > 1 {
      throw arguments.error("The standard input can be read once.")
    }
    return files.map { $0 == "-" ? .standardInput : .file(URL(filePath: $0)) }
  }

  private static func session(
    _ arguments: Arguments, _ sources: [Source]
  ) throws(UsageError) -> String? {
    guard let name = arguments["--session"] else { return nil }
    if name.isEmpty { throw arguments.error("--session is empty.") }
    if sources.contains(.standardInput) {
      throw arguments.error("--session goes with FILEs: the standard input cannot be read again.")
    }
    for option in ["--parent", "--per-batch", "--dry-run"] where arguments.has(option) {
      throw arguments.error("\(option) and --session exclude each other.")
    }
    return name
  }

  /// Options that have to be the same each time a session goes on: the deletions at its end depend
  /// on them. The guard may be switched off when it refused, and unfit items may be treated
  /// otherwise.
  var lasting: [String: String] {
    [
      "--at": path ?? "", "--format": form?.rawValue ?? "", "--where": filter ?? "",
      "--operations": "\(operations)",
    ]
  }

  private static func operations(_ arguments: Arguments) throws(UsageError) -> SyncOperations {
    guard let list = arguments["--operations"] else { return .all }
    let result: SyncOperations
    do {
      result = try SyncOperations(words: list.split(separator: ",").map(String.init))
    } catch {
      throw arguments.error("--operations does not know \(error.text)")
    }
    guard !result.isEmpty else { throw arguments.error("--operations is empty.") }
    return result
  }

  private static func parent(_ arguments: Arguments) throws(UsageError) -> Parent? {
    guard let text = arguments["--parent"] else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count >= 2, !parts.contains("") else {
      throw arguments.error("--parent takes ENTITY:ID or ENTITY:ID:RELATIONSHIP, not “\(text)”.")
    }
    guard parts.count > 2 else { return Parent(entity: parts[0], key: parts[1], relationship: nil) }
    let key = parts[1..<(parts.count - 1)].joined(separator: ":")
    return Parent(entity: parts[0], key: key, relationship: parts[parts.count - 1])
  }
}
