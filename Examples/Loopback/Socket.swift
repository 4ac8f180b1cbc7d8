// TCP on the loopback address, where there are POSIX sockets: Foundation has no sockets outside
// Apple's systems, and Windows has an interface of its own.
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

#if !canImport(WinSDK)
  #if canImport(Glibc)
    private let streamKind = Int32(SOCK_STREAM.rawValue)
  #else
    private let streamKind = SOCK_STREAM
  #endif

  // A client that has gone away is an error of the call, not a signal that ends the process.
  #if canImport(Darwin)
    private let sendingFlags: Int32 = 0
    private func refuseSignals(_ descriptor: Int32) {
      var on: Int32 = 1
      setsockopt(
        descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    }
  #else
    private let sendingFlags = Int32(MSG_NOSIGNAL)
    private func refuseSignals(_ descriptor: Int32) {}
  #endif

  /// A listening socket, or a connection. Its owner closes it, once.
  struct Socket: Sendable, Hashable {
    private let descriptor: Int32

    /// Carries the system's message.
    struct Failure: Error, CustomStringConvertible {
      let call: String
      let code = errno
      var description: String { "\(call): \(String(cString: strerror(code)))" }
    }

    /// Listens on a free port of the loopback address.
    static func listening() throws -> Socket {
      let made = try Socket(made: "socket", socket(AF_INET, streamKind, 0))
      do {
        try made.withAddress(port: 0) { address, size in
          if bind(made.descriptor, address, size) != 0 { throw Failure(call: "bind") }
        }
        if listen(made.descriptor, 64) != 0 { throw Failure(call: "listen") }
        return made
      } catch {
        made.end()
        throw error
      }
    }

    /// Connects to a port of the loopback address.
    static func connected(toPort port: UInt16) throws -> Socket {
      let made = try Socket(made: "socket", socket(AF_INET, streamKind, 0))
      do {
        try made.withAddress(port: port) { address, size in
          if connect(made.descriptor, address, size) != 0 { throw Failure(call: "connect") }
        }
        return made
      } catch {
        made.end()
        throw error
      }
    }

    /// Waits for the next connection.
    func nextConnection() throws -> Socket {
      try Socket(made: "accept", accept(descriptor, nil, nil))
    }

    private init(made call: String, _ descriptor: Int32) throws {
      guard descriptor >= 0 else { throw Failure(call: call) }
      self.descriptor = descriptor
      refuseSignals(descriptor)
    }

    /// The port that a listening socket was given.
    var port: UInt16 {
      var address = sockaddr_in()
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(descriptor, $0, &size)
        }
      }
      return UInt16(bigEndian: address.sin_port)
    }

    /// Waits for bytes; none are the end of the connection.
    func received() -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
        count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
      }
    }

    /// Sends everything.
    ///
    /// - Returns: Whether the other side was there to the end.
    func send(all data: Data) -> Bool {
      data.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
          let part = UnsafeRawBufferPointer(rebasing: rest)
          let sent = Self.send(descriptor, part)
          guard sent > 0 else { return false }
          rest = rest.dropFirst(sent)
        }
        return true
      }
    }

    private static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
      // In a type of its own name, the call needs the module's.
      systemSend(descriptor, bytes.baseAddress, bytes.count, sendingFlags)
    }

    /// Closes it; a thread that waits on a connection is woken.
    func end() {
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
      _ = close(descriptor)
    }

    private func withAddress(
      port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Void
    ) throws {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
      try withUnsafePointer(to: &address) {
        try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          try body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }

  /// The system's `send`, which the method of that name hides.
  private func systemSend(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32
  ) -> Int {
    send(descriptor, bytes, count, flags)
  }
#endif
