#if canImport(WinSDK)
  public import Foundation

  /// Windows has an interface of its own to sockets, so there is no server there: making one says
  /// so.
  public final class LoopbackServer: Sendable {
    public struct Unsupported: Error, CustomStringConvertible {
      public let description = "There is no server of examples on Windows."
    }

    public let port: UInt16 = 0

    public init(
      keepsConnections: Bool = false, _ handler: @escaping @Sendable (Request) -> Answer?
    ) throws {
      throw Unsupported()
    }

    public var targets: [String] { [] }
    public func url(_ target: String) -> URL? { nil }
    public func stop() {}
  }
#endif
