import Foundation

// Whether a progress is current on the thread. `Progress.current()` says so on every system, but on
// Linux looks for a text in the dictionary of the thread, which makes objects of both: a tenth of a
// millisecond the first time. Mostly nothing at all is in that dictionary.

enum CurrentProgress {
  /// Whether a progress that is made now would become a part of another one.
  static var exists: Bool { mayExist && Progress.current() != nil }

  #if canImport(Darwin)
    private static var mayExist: Bool { true }
  #else
    private static var mayExist: Bool { Thread.current.threadDictionary.count > 0 }
  #endif
}
