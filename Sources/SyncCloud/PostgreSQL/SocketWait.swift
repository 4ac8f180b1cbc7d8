#if canImport(WinSDK)
  import WinSDK
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#endif

/// The directions in which a socket can be used at once.
struct SocketState: Sendable {
  var isReadable = false
  var isWritable = false

  #if canImport(WinSDK)
    // Winsock has a poll of its own, whose constants are POLLRDNORM and POLLWRNORM.
    private static let (reading, writing): (SHORT, SHORT) = (0x0100, 0x0010)
  #else
    private static let (reading, writing) = (Int16(POLLIN), Int16(POLLOUT))
  #endif

  /// Waits until something can be done with a socket, or a time has passed.
  ///
  /// A socket that has failed can be read: the reader is told why.
  ///
  /// - Parameter writes: Whether it is waited for until it can be written, too.
  static func wait(for socket: CInt, writes: Bool, milliseconds: CInt) -> SocketState {
    #if canImport(WinSDK)
      var place = WSAPOLLFD()
      place.fd = SOCKET(socket)
      place.events = reading | (writes ? writing : 0)
      guard WSAPoll(&place, 1, milliseconds) > 0 else { return SocketState() }
    #else
      var place = pollfd()
      place.fd = socket
      place.events = reading | (writes ? writing : 0)
      guard poll(&place, 1, milliseconds) > 0 else { return SocketState() }
    #endif
    let isWritable = place.revents & writing != 0
    return SocketState(isReadable: place.revents & ~writing != 0, isWritable: isWritable)
  }
}
