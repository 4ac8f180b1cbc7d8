#if canImport(Glibc)
  import Foundation
  import Glibc
  import TestSupport
  import Testing

  @testable import SyncStackTool

  /// A terminal that can do nothing but write one line below the other.
  @Suite struct DumbTerminalTests {
    @Test(arguments: [("xterm", true), ("dumb", false)])
    func aDumbTerminalGetsTextAlone(_ kind: String, _ isDrawn: Bool) async throws {
      let cities = try CityBench()
      let file = try cities.file("many.json", 0..<30_000)
      let (text, status) = try await run(
        [
          "import", file, "--model", cities.model, "--entity", "City", "--store", cities.tool.store,
        ], in: kind)
      #expect(status == 0, "\(text)")
      let lines = text.replacing("\r\n", with: "\n")
      let isDrawnOver = lines.contains("\r") || lines.contains("\u{1B}")
      #expect(isDrawnOver == isDrawn, "\(text.debugDescription)")
    }

    /// Runs the tool with a terminal of 80 columns as its standard error.
    private func run(
      _ words: [String], in kind: String
    ) async throws -> (text: String, status: Int32) {
      let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      try #require(master >= 0)
      defer { close(master) }
      // TIOCSPTLCK and TIOCGPTN, macros that Swift does not import: unlock the terminal, and ask for
      // the number of its other end.
      var lock: Int32 = 0
      var number: UInt32 = 0
      let isReady =
        ioctl(master, 0x4004_5431, &lock) == 0 && ioctl(master, 0x8004_5430, &number) == 0
      try #require(isReady)
      let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
      try #require(slave >= 0)
      var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
      let isSized = ioctl(slave, UInt(TIOCSWINSZ), &size) == 0
      try #require(isSized)
      let process = Process()
      process.executableURL = try ToolProcess.executable
      process.arguments = words
      process.environment = ProcessInfo.processInfo.environment.merging(["TERM": kind]) { $1 }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
      try process.run()
      close(slave)
      let text = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          var data = Data()
          var buffer = [UInt8](repeating: 0, count: 4_096)
          // The end of a terminal is an error, not an end of file.
          while case let count = read(master, &buffer, buffer.count), count > 0 {
            data.append(contentsOf: buffer.prefix(count))
          }
          continuation.resume(returning: String(decoding: data, as: UTF8.self))
        }
      }
      process.waitUntilExit()
      return (text, process.terminationStatus)
    }
  }
#endif
