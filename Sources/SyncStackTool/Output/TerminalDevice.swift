// The properties of a terminal: asked of the system's C library, which every system spells
// differently.
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(WinSDK)
  import CRT
#endif

/// The standard output or the standard error, as far as it is a terminal.
enum TerminalDevice: Int32 {
  case output = 1
  case error = 2

  #if canImport(WinSDK)
    var isTerminal: Bool { _isatty(rawValue) != 0 }

    /// Cells in a line, or nil when it is no terminal that tells.
    var columns: Int? { isTerminal ? 80 : nil }
  #else
    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Cells in a line, or nil when it is no terminal that tells.
    var columns: Int? {
      var size = winsize()
      guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
      return Int(size.ws_col)
    }
  #endif
}
