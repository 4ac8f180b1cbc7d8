import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whatever is wrong with its input, the tool names the fault, its place and a way out, ends with
/// 1, and the store is as it was.
@Suite struct BadInputTests {
  private let bench: ToolBench

  init() throws { bench = try ToolBench() }

  static let model = """
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="User">
        <attribute name="id" attributeType="Integer 64"/>
        <attribute name="name" optional="YES" attributeType="String"/>
      </entity>
      <entity name="Nameless"><attribute name="text" optional="YES" attributeType="String"/></entity>
    </model>
    """
  static let other = model.replacing("\"String\"", with: "\"UUID\"")
  static let twoKeys = """
    <model><entity name="User">
      <attribute name="a" attributeType="Integer 64">
        <userInfo><entry key="sync.isPrimaryKey" value="YES"/></userInfo></attribute>
      <attribute name="b" attributeType="Integer 64">
        <userInfo><entry key="sync.isPrimaryKey" value="YES"/></userInfo></attribute>
    </entity></model>
    """
  static let unknownType = model.replacing("\"String\"", with: "\"Polygon\"")
  static let noInverse = """
    <model><entity name="User"><attribute name="id" attributeType="Integer 64"/>
      <relationship name="notes" toMany="YES" destinationEntity="User" inverseName="owner"
        inverseEntity="User"/>
    </entity></model>
    """

  /// A case: the JSON, the model, the entity, further words, and parts of the message.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var json = #"[{"id": 1, "name": "New"}]"#
    var model = BadInputTests.model
    var entity = "User"
    var more: [String] = []
    let says: [String]
  }

  static let cases: [Case] = [
    Case(testDescription: "not JSON", json: "id,name", says: ["Line 1, column 1"]),
    Case(
      testDescription: "cut-off JSON", json: #"[{"id": 1},\#n {"id": 2, "na"#,
      says: ["Line 2", "cut off"]),
    Case(testDescription: "a number", json: "5", says: ["$"]),
    Case(testDescription: "numbers", json: "[1, 2]", says: ["$[0]"]),
    Case(
      testDescription: "the list lies deeper", json: #"{"data": [{"id": 1}]}"#,
      says: ["id", "--at"]),
    Case(
      testDescription: "wrong path", json: #"{"data": [{"id": 1}]}"#, more: ["--at", "items"],
      says: ["items", "data"]),
    Case(testDescription: "unknown entity", entity: "Usr", says: ["Did you mean “User”?"]),
    Case(testDescription: "capitals", entity: "user", says: ["Did you mean “User”?"]),
    Case(testDescription: "no primary key", entity: "Nameless", says: ["Nameless", "primary key"]),
    Case(testDescription: "two primary keys", model: twoKeys, says: ["User", "primary key"]),
    Case(
      testDescription: "object without its key", json: #"[{"id": 1}, {"name": "x"}]"#,
      more: ["--on-error", "fail"], says: ["id", "$[1]"]),
    Case(
      testDescription: "malformed model", model: "<model><entity", says: ["model.xml", "line 1"]),
    Case(
      testDescription: "unsupported type", model: unknownType, says: ["User", "name", "Polygon"]),
    Case(testDescription: "inverse missing", model: noInverse, says: ["User", "notes", "owner"]),
    Case(testDescription: "another model", model: other, says: ["User", "name"]),
    Case(
      testDescription: "wrong predicate", more: ["--where", "nme = 'x'"], says: ["nme", "name"]),
    Case(testDescription: "no predicate", more: ["--where", "name ="], says: ["name ="]),
  ]

  @Test(arguments: cases) func isRefusedAndChangesNothing(_ test: Case) async throws {
    let good = try bench.file("good.xml", Self.model)
    let first = try bench.file("first.json", #"[{"id": 1, "name": "Old"}]"#)
    #expect(
      await bench.run(
        "import", first, "--model", good, "--entity", "User", "--store", bench.store
      ).code == .done)
    let words = [
      "import", try bench.file("bad.json", test.json), "--model",
      try bench.file("model.xml", test.model), "--entity", test.entity, "--store", bench.store,
    ]
    let result = await bench.run(words + test.more)
    #expect(result.code == (test.more.first == "--where" ? .usage : .failed))
    for text in test.says { #expect(result.error.contains(text), "\(result.error)") }
    let shown = await bench.run("show", "User", "--store", bench.store)
    #expect(shown.output.hasSuffix(" 1  Old\n"), "\(shown.output)")
  }

  @Test func aStoreOfAnotherModelIsMigratedOnRequest() async throws {
    let json = try bench.file("a.json", #"[{"id": 1, "name": "Old"}]"#)
    func importing(_ model: String, _ more: String...) async throws -> (ExitCode, String) {
      let words = [
        "import", json, "--model", try bench.file("m.xml", model), "--entity", "User", "--store",
        bench.store,
      ]
      let result = await bench.run(words + more)
      return (result.code, result.error)
    }
    #expect(try await importing(Self.model).0 == .done)
    let changed = Self.model.replacing(
      "<attribute name=\"name\"",
      with:
        "<attribute name=\"age\" optional=\"YES\" attributeType=\"Integer 64\"/><attribute name=\"name\""
    )
    let refused = try await importing(changed)
    #expect(refused.0 == .failed && refused.1.contains("With this command: --migrate"))
    #expect(!refused.1.contains("automatic migration"), "\(refused.1)")
    #expect(try await importing(changed, "--migrate").0 == .done)
    #expect(try await importing(changed).0 == .done)
  }

  @Test(arguments: [
    (["https://a.b/users.json"], "curl -fsS 'https://a.b/users.json' | syncstack import -"),
    (["a.json", "--wait", "soon"], "--wait takes seconds"),
    (["a.json", "--wait=-1"], "--wait takes seconds"),
    (["a.json", "--migrate", "--dry-run"], "exclude each other"),
  ])
  func wordsThatMakeNoSenseSayWhatDoes(_ words: [String], text: String) async throws {
    let result = await bench.run(
      ["import", "--model", "m.xml", "--entity", "User", "--store", bench.store] + words)
    #expect(result.code == .usage)
    #expect(result.error.contains(text), "\(result.error)")
  }

  #if !os(Windows)
    /// A file, or a folder on the way to it, that this user may not read.
    @Test(
      .enabled("root may read everything") { getuid() != 0 },
      arguments: [
        ["doctor", "f/in.json", "--model", "m.xml", "--entity", "User"],
        ["model", "--from", "f/in.json"],
        ["import", "f/in.json", "--model", "m.xml", "--entity", "User", "--store", "s.sqlite"],
        ["show", "--store", "f/s.sqlite"], ["model", "f/m.xml"],
      ], [false, true])
    func whatMayNotBeReadIsNotSaidToBeMissing(_ words: [String], _ isFolder: Bool) async throws {
      let bench = try ToolBench()
      let folder = bench.folder.file("f")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in ["m.xml", "f/m.xml", "f/in.json", "f/s.sqlite"] { _ = try bench.file(name, "[]") }
      _ = try bench.file("m.xml", Self.model)
      let locked =
        isFolder
        ? [folder.path] : ["m.xml", "in.json", "s.sqlite"].map { folder.appending(path: $0).path }
      for path in locked {
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
      }
      let result = await bench.run(
        words.map { $0.contains(".") ? bench.folder.url.appending(path: $0).path : $0 })
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
      #expect(result.code == .failed)
      #expect(!result.error.contains("There is no"), "\(result.error)")
    }
  #endif

  @Test(arguments: [
    ["doctor", "no.json", "--model", "m.xml", "--entity", "User"], ["model", "--from", "no.json"],
    ["import", "no.json", "--model", "m.xml", "--entity", "User", "--store", "s.sqlite"],
  ])
  func aFileThatIsNotThereIsNamed(_ words: [String]) async throws {
    _ = try bench.file("m.xml", Self.model)
    let folder = bench.folder.url
    let result = await bench.run(
      words.map { $0.contains(".") ? folder.appending(path: $0).path : $0 })
    expect(result, .failed, error: "There is no file", "no.json", "Check its path.")
  }

  @Test(arguments: [["doctor", "--model", "m.xml", "--entity", "User"], ["model", "--from"]])
  func ofSeveralFilesTheOneThatIsCutOffIsNamed(_ words: [String]) async throws {
    let model = try bench.file("m.xml", Self.model)
    let good = try bench.file("good.json", #"[{"id": 1}]"#)
    let cut = try bench.file("cut.json", #"[{"id": 2}"#)
    let several = await bench.run(words.map { $0 == "m.xml" ? model : $0 } + [good, cut])
    expect(several, .failed, error: "Stopped at \(cut).", "The text stops")
    let alone = await bench.run(words.map { $0 == "m.xml" ? model : $0 } + [cut])
    #expect(!alone.error.contains("Stopped at"), "\(alone.error)")
  }

  @Test func compressedInputIsNamedWithWhatToDo() async throws {
    let file = bench.folder.url.appending(path: "users.json.zst")
    try Data([0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x0B, 0x59, 0, 0, 0x5B]).write(to: file)
    let result = await bench.run(
      "import", file.path, "--model", try bench.file("model.xml", Self.model), "--entity", "User",
      "--store", bench.store)
    #expect(result.code == .failed)
    for text in ["compressed with zstd", "zstd -dc FILE", "syncstack import --stdin"] {
      #expect(result.error.contains(text), "\(result.error)")
    }
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test func aModelThatIsMissingSaysSo() async throws {
    let result = await bench.run(
      "import", try bench.file("a.json", "[]"), "--model",
      bench.folder.file("none.xcdatamodeld").path,
      "--entity", "User", "--store", bench.store)
    expect(result, .failed, error: "none.xcdatamodeld")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test func aStoreInAnImpossiblePlaceSaysSo() async throws {
    let model = try bench.file("model.xml", Self.model)
    let json = try bench.file("a.json", #"[{"id": 1}]"#)
    for place in ["a.json/store.sqlite", "a.json", ""] {
      let store = bench.folder.url.appending(path: place).path
      let result = await bench.run(
        "import", json, "--model", model, "--entity", "User", "--store", store)
      #expect(result.code == .failed)
      #expect(result.error.contains(bench.folder.url.lastPathComponent), "\(result.error)")
    }
    #expect(try String(contentsOfFile: json, encoding: .utf8) == #"[{"id": 1}]"#)
  }

  @Test(arguments: [
    ["import", "FOLDER", "--model", "MODEL", "--entity", "User", "--store", "STORE"],
    ["doctor", "FOLDER", "--model", "MODEL", "--entity", "User"],
    ["show", "--store", "FOLDER"], ["export", "--store", "FOLDER", "--entity", "User"],
    ["history", "--store", "FOLDER"], ["watch", "--store", "FOLDER"],
    ["quarantine", "--store", "FOLDER"], ["sessions", "--store", "FOLDER"],
  ])
  func aFolderInThePlaceOfAFileIsNamed(_ words: [String]) async throws {
    let folder = bench.folder.url.appending(path: "things")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let paths = [
      "FOLDER": folder.path, "MODEL": try bench.file("model.xml", Self.model), "STORE": bench.store,
    ]
    let result = await bench.run(words.map { paths[$0] ?? $0 })
    expect(result, .failed, error: "things", "is a folder")
    #expect(!FileManager.default.fileExists(atPath: bench.store))
  }

  @Test func anEmptyPayloadCannotEmptyAStore() async throws {
    #expect(await bench.countries(2024).code == .done)
    let empty = try bench.file("empty.json", #"{"countries": []}"#)
    let words = [
      "import", empty, "--model", Fixtures.exampleData("Countries.xcdatamodeld").path, "--entity",
      "Country", "--at", "countries", "--store", bench.store,
    ]
    let refused = await bench.run(words)
    expect(refused, .failed, error: "--guard off")
    #expect(!refused.error.contains("deletionGuard"), "\(refused.error)")
    #expect(await bench.countries(2024, "--report", "text").output.contains("Nothing changed"))
    for limits in ["empty=248", "count=600,empty=249"] {
      #expect(await bench.run(words + ["--guard", limits]).code == .failed)
    }
    for limits in ["empty=x", "share=101%", "count=-1", "most", "count=1,"] {
      #expect(await bench.run(words + ["--guard", limits]).code == .usage)
    }
    let dry = await bench.run(words + ["--dry-run", "--guard", "count=600,share=100%,empty=249"])
    #expect(dry.code == .done)
    #expect(await bench.run(words + ["--guard", "off"]).code == .done)
    #expect(await bench.run("show", "--store", bench.store).output.contains("Subdivision        0"))
  }

  @Test func aDocumentOfWhichNothingCanBeUsedSaysWhyOfTheFirstItem() async throws {
    let result = await bench.run(
      "import", try bench.file("a.json", #"{"data": [{"id": 1}]}"#), "--model",
      try bench.file("model.xml", Self.model), "--entity", "User", "--store", bench.store)
    expect(result, .failed, error: "“id”", "--at")
  }

  @Test(arguments: [[], ["--on-error", "skip"]])
  func objectsThatCannotBeUsedAreLeftOut(_ policy: [String]) async throws {
    let result = await bench.run(
      [
        "import", try bench.file("a.json", #"[{"id": 1}, {"name": "x"}, {"id": 3}]"#), "--model",
        try bench.file("model.xml", Self.model), "--entity", "User", "--store", bench.store,
        "--quiet", "--report", "json",
      ] + policy)
    #expect(result.code == .done)
    let report = try JSONDecoder().decode(SyncReport.self, from: Data(result.output.utf8))
    #expect(report.inserted == 2)
    #expect(report.skipped == 1)
  }

  @Test(arguments: [(1, "The only item cannot be used."), (2, "None of the 2 items can be used.")])
  func unusableItemsAreCountedInWordsThatFit(_ count: Int, _ text: String) async throws {
    let items = Array(repeating: #"{"name": "x"}"#, count: count).joined(separator: ",")
    let result = await bench.run(
      "import", try bench.file("a.json", "[\(items)]"), "--model",
      try bench.file("model.xml", Self.model), "--entity", "User", "--store", bench.store)
    #expect(result.code == .failed)
    #expect(result.error.contains(text), "\(result.error)")
  }

  @Test(arguments: [
    (#"[{"id": 1, "name": "a"}, {"id": 2}]"#, "would delete 1 object:"),
    (#"[{"id": 1, "name": "a"}]"#, "would delete 2 objects:"),
  ])
  func refusedDeletionsAreCountedInWordsThatFit(_ json: String, _ text: String) async throws {
    let model = try bench.file("model.xml", Self.model)
    let words = ["--model", model, "--entity", "User", "--store", bench.store]
    let all = try bench.file("all.json", #"[{"id": 1, "name": "a"}, {"id": 2}, {"id": 3}]"#)
    #expect(await bench.run(["import", all] + words).code == .done)
    let result = await bench.run(
      ["import", try bench.file("some.json", json), "--guard", "count=0,share=0%"] + words)
    #expect(result.code == .failed)
    #expect(result.error.contains(text), "\(result.error)")
  }

  /// Another connection holds the store, and lets go once the import has begun.
  @Test(.timeLimit(.minutes(5))) func waitsForAProcessThatHoldsTheStore() async throws {
    let words = [
      "import", try bench.file("a.json", #"[{"id": 1}]"#), "--model",
      try bench.file("model.xml", Self.model), "--entity", "User", "--store", bench.store,
    ]
    #expect(await bench.run(words).code == .done)
    let other = try DataStack(keptAt: URL(filePath: bench.store), isReadOnly: false)
    let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      _ = try? other.store.write(TransactionInfo()) { _ in
        held.signal()
        release.wait()
      }
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        held.wait()
        continuation.resume()
      }
    }
    let refused = await bench.run(words + ["--wait", "0"])
    expect(refused, .failed, error: "--wait SECONDS")
    #expect(!refused.error.contains("busy time limit"), "\(refused.error)")
    let store = URL(filePath: bench.store).lastPathComponent
    let folder = bench.folder.url.lastPathComponent
    let observer = NotificationCenter.default.addObserver(
      forName: .syncDidStart, object: nil, queue: nil
    ) { note in
      let url = (note.object as? DataStack)?.storeURL
      if url?.lastPathComponent == store, url?.path.contains(folder) == true { release.signal() }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let waited = await bench.run(words + ["--wait", "120"])
    release.signal()
    #expect(waited.code == .done, "\(waited.error)")
    try other.close()
  }
}
