import Foundation

#if canImport(Glibc)
  import Glibc
  private let thisProcess = Int32(RUSAGE_SELF.rawValue)
#elseif canImport(Darwin)
  import Darwin
  private let thisProcess = RUSAGE_SELF
#endif

/// The system's figures of this process.
public enum ProcessFigures {
  /// Seconds that the process kept processors busy.
  public static var processorSeconds: Double {
    var usage = rusage()
    getrusage(thisProcess, &usage)
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  static var residentBytes: Int { status("VmRSS:") }

  /// Largest resident size since ``resetPeak()``, where the system can tell; else since the start.
  public static var peakBytes: Int {
    let peak = status("VmHWM:")
    if peak > 0 { return peak }
    var usage = rusage()
    getrusage(thisProcess, &usage)
    return Int(usage.ru_maxrss)
  }

  /// https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
  static func resetPeak() {
    guard let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
    try? handle.write(contentsOf: Data("5".utf8))
    try? handle.close()
  }

  /// A line of the process's status in bytes; 0 where there is none.
  static func status(_ name: String) -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
      let value = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return value * 1024
  }
}
