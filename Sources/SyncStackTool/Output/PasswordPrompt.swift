// Asks for a password on the terminal without showing it. Every system spells that differently; on
// Windows the password has to come from the environment.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a line from the terminal without echo.
enum PasswordPrompt {
  #if canImport(WinSDK)
    static func read(_ question: String, on terminal: Terminal) throws -> String? { nil }
  #else
    /// The text that was typed, or nil when the standard input is no terminal.
    ///
    /// - Throws: `CancellationError` after Ctrl-C and Ctrl-D.
    static func read(_ question: String, on terminal: Terminal) throws -> String? {
      var settings = termios()
      guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return nil }
      let before = settings
      // Keys come one by one, Ctrl-C among them: a signal would leave the terminal silent.
      settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
      guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) == 0 else { return nil }
      defer {
        var before = before
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
        terminal.note("")
      }
      terminal.ask(question)
      var line = PasswordLine()
      var byte: UInt8 = 0
      while !line.isComplete {
        guard Self.next(&byte) else { throw CancellationError() }
        try line.type(byte)
      }
      return line.text
    }

    private static func next(_ byte: inout UInt8) -> Bool {
      while true {
        let count = Self.readByte(&byte)
        if count != -1 || errno != EINTR { return count == 1 }
      }
    }

    private static func readByte(_ byte: inout UInt8) -> Int {
      #if canImport(Glibc)
        Glibc.read(STDIN_FILENO, &byte, 1)
      #elseif canImport(Musl)
        Musl.read(STDIN_FILENO, &byte, 1)
      #elseif canImport(Bionic)
        Bionic.read(STDIN_FILENO, &byte, 1)
      #else
        Darwin.read(STDIN_FILENO, &byte, 1)
      #endif
    }
  #endif
}
