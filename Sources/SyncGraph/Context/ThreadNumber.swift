import Foundation

// Tells threads from each other, as cheaply as can be. Foundation's `Thread.current` makes an
// object; the thread's own handle is a number on Linux and an address on Apple systems.

#if canImport(Darwin)
  /// The number of the thread that calls, which no other living thread has. Never 0.
  func currentThreadNumber() -> UInt { UInt(bitPattern: pthread_self()) }
#else
  /// The number of the thread that calls, which no other living thread has. Never 0.
  func currentThreadNumber() -> UInt { UInt(pthread_self()) }
#endif
