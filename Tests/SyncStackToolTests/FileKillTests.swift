import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud
@testable import SyncStackTool

/// Files whose pushes and pulls are killed at random moments, against a real server.
/// `SYNCSTACK_CLOUD_FILES` says how many, `SYNCSTACK_CLOUD_FILE_SIZE` how large the largest is,
/// `SYNCSTACK_CLOUD_FILE_KILLS` how many kills.
@Suite(.timeLimit(.minutes(60))) struct FileKillTests {
  private static let model = """
    <model documentVersion="1.0"><entity name="Film">
      <attribute name="id" attributeType="Integer 64"/>
      <attribute name="file" optional="YES" attributeType="String">
        <userInfo><entry key="cloud.asset" value="eager"/></userInfo></attribute>
    </entity></model>
    """

  private static func setting(_ name: String, _ usual: Int) -> Int {
    Proof.number("CLOUD_\(name)") ?? usual
  }

  @Test(.enabled("no server: the output says why") { TestServer.isAvailable(.memory) })
  func filesOfProcessesThatAreKilledArriveWholeAndEachOnce() async throws {
    let (count, largest) = (Self.setting("FILES", 8), Self.setting("FILE_SIZE", 1_500_000))
    let kills = Self.setting("FILE_KILLS", 4)
    let seed = Self.setting("SEED", Int.random(in: 0...Int.max))
    var generator = SeededGenerator(seed: UInt64(seed))
    let bench = try ToolBench()
    let model = try bench.file("model.xml", Self.model)
    func path(_ store: String) -> String { bench.folder.file("\(store).sqlite").path }
    // Half of them are duplicates; the smallest has a byte, the largest all.
    let folder = AssetFolder(URL(filePath: path("a")))
    var names: [String] = []
    for number in 0..<count {
      if number % 2 == 1, number > 1 {
        names.append(names[Int.random(in: 0..<number, using: &generator)])
        continue
      }
      let size =
        number == 0
        ? 1 : number == 2 ? largest : Int.random(in: 1...largest / 2, using: &generator)
      var bytes = Data(capacity: size + 8)
      while bytes.count < size {
        withUnsafeBytes(of: UInt64.random(in: .min ... .max, using: &generator)) { bytes += $0 }
      }
      names.append(try folder.add("film") { try bytes.prefix(size).write(to: $0) })
    }
    let list = names.enumerated().map { #"{"id": \#($0), "file": "\#($1)"}"# }
    let imported = await bench.run(
      "import", try bench.file("films.json", "[\(list.joined(separator: ","))]"), "--model", model,
      "--entity", "Film", "--store", path("a"), "--quiet")
    #expect(imported.code == .done, "\(imported.error)")
    let url = try TestServer.address(.memory)
    let user = try await TestServer.account(on: url)
    func start(_ command: String, _ store: String) throws -> ToolProcess {
      let words = [
        command, "--store", path(store), "--server", url.absoluteString, "--app", "files", "--user",
        user, "--quiet",
      ]
      return try ToolProcess(
        words + (command == "pull" ? ["--model", model] : []),
        environment: ["SYNCSTACK_PASSWORD": TestServer.password])
    }
    var (killed, peak) = (0, 0)
    for (command, store) in [("push", "a"), ("pull", "b")] {
      var isDone = false
      while !isDone {
        let isLast = killed >= (command == "push" ? kills * 2 / 3 : kills)
        let moment =
          ContinuousClock.now + .milliseconds(Int.random(in: 400...2500, using: &generator))
        let process = try start(command, store)
        let memory = Locked(0)
        let status = await process.end(by: SIGKILL) {
          let status = try String(
            contentsOfFile: "/proc/\(process.process.processIdentifier)/status", encoding: .utf8)
          let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
          memory.withLock { $0 = line.flatMap { Int($0.filter(\.isNumber)) } ?? $0 }
          return !isLast && ContinuousClock.now >= moment
        }
        peak = max(peak, memory.withLock { $0 })
        isDone = status == 0
        if status == 128 + SIGKILL { killed += 1 } else { #expect(isDone, "\(process.error)") }
      }
    }
    let there = AssetFolder(URL(filePath: path("b")))
    for name in Set(names) {
      let asset = try AssetFolder.asset(at: there.location(name))
      #expect(asset == CloudAsset(fileName: name), "seed \(seed)")
    }
    // Whole files, and nothing that is on its way.
    #expect(Set(there.content().map(\.name)) == Set(names), "seed \(seed)")
    #expect(Set(folder.content().map(\.name)) == Set(names), "seed \(seed)")
    let server = try KintoTransport(
      url, app: "files", signIn: .password(user, TestServer.password), timeout: 60)
    var served: [String] = []
    var token: CloudToken?
    while true {
      let page = try await server.changes(
        in: ServedFile.manifests(of: CloudZone(.private)), after: token, limit: 100)
      served += page.records.map(\.name)
      guard page.hasMore else { break }
      token = page.token
    }
    #expect(served.count == Set(names).count, "Each file is there once, seed \(seed).")
    let bytes = Set(names).compactMap { CloudAsset(fileName: $0)?.size }.reduce(0, +)
    print(
      "files: seed \(seed), \(killed) killed, \(names.count) files of which \(Set(names).count) differ, "
        + "\(bytes) bytes, a process never had more than \(peak) KB")
  }
}
