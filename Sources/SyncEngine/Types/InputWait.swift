// Waiting for bytes in a way that can be ended: poll(2) with a pipe beside the handle, where there
// is poll. On Windows a read of a silent pipe cannot be waited for together with something else, so
// there the thread that reads stays until the other end closes or sends.
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

#if canImport(WinSDK)
  /// Waits until a handle has bytes, or until the waiting is ended.
  final class InputWait: Sendable {
    init() throws {}

    func end() {}

    func wait(for handle: FileHandle) -> Bool { true }

    /// The bytes of the handle; empty is its end.
    func take(from handle: FileHandle, upTo count: Int) throws -> Data { handle.availableData }
  }
#else
  /// Waits until a handle has bytes, or until the waiting is ended.
  ///
  /// Both ends of the pipe are constant; ``end()`` writes a byte that is never read, so it holds
  /// for every wait that follows.
  final class InputWait: Sendable {
    private let waker: FileHandle
    private let sleeper: FileHandle

    /// - Throws: ``SyncError`` when the process has no file descriptors left.
    init() throws {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        throw PayloadSpool.unreadable("the process has too many files open")
      }
      sleeper = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
      waker = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }

    /// Ends the wait that runs and all that follow.
    func end() {
      try? waker.write(contentsOf: Data([0]))
    }

    /// - Returns: Whether the handle has bytes or has come to its end; false when waiting was
    ///   ended.
    func wait(for handle: FileHandle) -> Bool {
      var polled = [
        pollfd(fd: sleeper.fileDescriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0),
      ]
      // A signal may end the call before anything has come.
      while poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
      return polled[0].revents == 0
    }

    /// The bytes of the handle; empty is its end. Does not wait for more when there is something.
    func take(from handle: FileHandle, upTo count: Int) throws -> Data {
      var data = Data(count: count)
      var length = 0
      repeat {
        length = data.withUnsafeMutableBytes { bytes in
          read(handle.fileDescriptor, bytes.baseAddress, bytes.count)
        }
        // Another reader may have taken the bytes, or a signal came.
        if length < 0, errno == EAGAIN, !wait(for: handle) { return Data() }
      } while length < 0 && (errno == EINTR || errno == EAGAIN)
      guard length >= 0 else {
        throw PayloadSpool.unreadable(String(cString: strerror(errno)))
      }
      return data.prefix(length)
    }
  }
#endif
