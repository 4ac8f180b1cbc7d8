import Foundation
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

/// `export --output` replaces a file and nothing else.
@Suite struct ExportOutputTests {
  private func bench() async throws -> CityBench {
    let city = try CityBench()
    let result = await city.tool.run(
      "import", try city.file("cities.json", 1..<4), "--model", city.model, "--entity", "City",
      "--store", city.tool.store)
    #expect(result.code == .done, "\(result.error)")
    return city
  }

  private func export(_ city: CityBench, to path: String, _ more: String...) async -> (
    code: ExitCode, error: String
  ) {
    let words = ["export", "--store", city.tool.store, "--entity", "City", "--output", path]
    let result = await city.tool.run(words + more)
    return (result.code, result.error)
  }

  private func type(_ path: String) throws -> FileAttributeType? {
    try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
  }

  @Test(arguments: [true, false], [1, 3])
  func aLinkIsFollowedWhetherItsEndIsThereOrNot(isThere: Bool, length: Int) async throws {
    let city = try await bench()
    let folder = city.tool.folder
    try FileManager.default.createDirectory(
      at: folder.file("inner"), withIntermediateDirectories: true)
    let target = folder.file("inner/target.json").path
    if isThere { try Data("old".utf8).write(to: URL(filePath: target)) }
    var before = "inner/target.json"
    for number in 0..<length {
      try FileManager.default.createSymbolicLink(
        atPath: folder.file("link\(number)").path, withDestinationPath: before)
      before = "link\(number)"
    }
    let link = folder.file(before).path
    let result = await export(city, to: link)
    #expect(result.code == .done, "\(result.error)")
    #expect(try type(link) == .typeSymbolicLink)
    #expect(try type(target) == .typeRegular)
    #expect(try String(contentsOfFile: target, encoding: .utf8).contains("city 3"))
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("inner").path)
    #expect(left == ["target.json"])
  }

  @Test(arguments: ["", "-wal", "-shm", "link"])
  func theStoreItselfIsNoFileToWrite(_ ending: String) async throws {
    let city = try await bench()
    let path = city.tool.store + ending
    if ending == "link" {
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: city.tool.store)
    }
    let result = await export(city, to: path)
    #expect(result.code == .usage && result.error.contains("is the store"), "\(result.error)")
    let logged = await city.tool.run(
      "import", try city.file("cities.json", 1..<3), "--entity", "City", "--store",
      city.tool.store, "--log", path)
    expect(logged, .usage, error: "--log \(path) is the store")
    #expect(try city.stored() == [1, 2, 3])
  }

  @Test func linksInACircleAreAnError() async throws {
    let city = try await bench()
    for (link, target) in [("a", "b"), ("b", "a")] {
      try FileManager.default.createSymbolicLink(
        atPath: city.tool.folder.file(link).path, withDestinationPath: target)
    }
    let result = await export(city, to: city.tool.folder.file("a").path)
    #expect(result.code == .failed)
    #expect(result.error.contains("lead in a circle"), "\(result.error)")
  }

  @Test func aFileThatIsReplacedKeepsItsPermissions() async throws {
    let city = try await bench()
    let path = try city.tool.file("out.json", "old")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(await export(city, to: path).code == .done)
    let now = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(now?.intValue == 0o600)
  }

  @Test func aFileStaysUntilTheExportIsWhole() async throws {
    let city = try await bench()
    let path = try city.tool.file("out.json", "old")
    #expect(await export(city, to: path, "--where", "nothing = 1").code != .done)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
  }

  #if !os(Windows)
    @Test func aPipeIsWrittenInto() async throws {
      let city = try await bench()
      let path = city.tool.folder.file("pipe").path
      try #require(mkfifo(path, 0o600) == 0)
      // Before the writer, so that neither waits for the other.
      let reader = open(path, O_RDONLY | O_NONBLOCK)
      try #require(reader >= 0)
      let handle = FileHandle(fileDescriptor: reader, closeOnDealloc: true)
      let result = await export(city, to: path)
      #expect(result.code == .done, "\(result.error)")
      let text = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
      #expect(text.contains("city 3"))
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test func aDeviceIsWrittenInto() async throws {
      let city = try await bench()
      #expect(await export(city, to: "/dev/null").code == .done)
      #expect(try type("/dev/null") == .typeCharacterSpecial)
    }
  #endif

  #if os(Linux)
    @Test(.enabled { FileManager.default.isWritableFile(atPath: "/dev/shm") })
    func theFolderOfSharedMemoryTakesFilesAsAnyOther() async throws {
      let city = try await bench()
      let path = "/dev/shm/syncstack-\(UUID().uuidString).json"
      defer { try? FileManager.default.removeItem(atPath: path) }
      for _ in 0..<2 {
        let result = await export(city, to: path)
        #expect(result.code == .done, "\(result.error)")
      }
      #expect(try String(contentsOfFile: path, encoding: .utf8).contains("city 3"))
    }

    @Test func aDeviceThatIsFullIsAnError() async throws {
      let city = try await bench()
      let result = await export(city, to: "/dev/full")
      #expect(result.code == .failed)
      #expect(result.error.contains("Free some space"), "\(result.error)")
      #expect(try type("/dev/full") == .typeCharacterSpecial)
    }
  #endif
}
