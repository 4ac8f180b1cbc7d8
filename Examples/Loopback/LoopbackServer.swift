public import Foundation
import SyncCore

#if !canImport(WinSDK)
  /// A small HTTP server on the loopback address, for examples, tests and benchmarks: a thread for
  /// each connection.
  public final class LoopbackServer: Sendable {
    private let listener: Socket
    private let connections: Connections
    private let log: Log

    /// The port it listens on.
    public let port: UInt16

    /// Listens on a free port until it is stopped or let go of.
    ///
    /// - Parameters:
    ///   - keepsConnections: Whether a connection takes one request after the other.
    ///   - handler: Answers requests, on the thread of each connection; nil hangs up.
    public init(
      keepsConnections: Bool = false, _ handler: @escaping @Sendable (Request) -> Answer?
    ) throws {
      let (listener, connections, log) = (try Socket.listening(), Connections(), Log())
      (self.listener, self.connections, self.log) = (listener, connections, log)
      port = listener.port
      Thread.detachNewThread {
        while let connection = try? listener.nextConnection() {
          guard connections.insert(connection) else {
            connection.end()
            break
          }
          Thread.detachNewThread {
            var kept = Data()
            repeat {
              guard let head = RequestHead(from: connection, &kept) else { break }
              let request = log.request(head)
              guard let answer = handler(request), answer.send(to: connection, keepsConnections)
              else { break }
            } while keepsConnections
            if connections.remove(connection) { connection.end() }
          }
        }
        listener.end()
      }
    }

    deinit {
      stop()
    }

    /// The targets of all requests, in order: `/articles?page=2`.
    public var targets: [String] { log.targets }

    /// The address of a page.
    public func url(_ target: String) -> URL? {
      URL(string: "http://127.0.0.1:\(port)\(target)")
    }

    /// Hangs up on everybody.
    public func stop() {
      guard let open = connections.stop() else { return }
      for connection in open { connection.end() }
      // The thread that listens wakes up by a connection, and sees that it is to end.
      if let last = try? Socket.connected(toPort: port) { last.end() }
    }
  }

  /// The connections that are open; the thread that takes one out closes it.
  private final class Connections: Sendable {
    // Nil once the server has stopped.
    private let open = Locked<Set<Socket>?>([])

    /// - Returns: Whether the server goes on.
    func insert(_ connection: Socket) -> Bool {
      open.withLock { $0?.insert(connection) != nil }
    }

    func remove(_ connection: Socket) -> Bool {
      open.withLock { $0?.remove(connection) != nil }
    }

    /// - Returns: The connections to close; nil when it has stopped before.
    func stop() -> Set<Socket>? {
      open.withLock { open in
        defer { open = nil }
        return open
      }
    }
  }

  /// The requests so far.
  private final class Log: Sendable {
    private let all = Locked<(targets: [String], counts: [String: Int])>(([], [:]))

    var targets: [String] { all.withLock { $0.targets } }

    func request(_ head: RequestHead) -> LoopbackServer.Request {
      let repetition = all.withLock { all in
        all.targets.append(head.target)
        defer { all.counts[head.target, default: 0] += 1 }
        return all.counts[head.target, default: 0]
      }
      let parts = URLComponents(string: head.target)
      let items = (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
      return LoopbackServer.Request(
        method: head.method, path: parts?.path ?? "", query: Dictionary(items) { $1 },
        headers: head.fields, body: head.body, repetition: repetition)
    }
  }

  extension LoopbackServer.Answer {
    /// - Returns: Whether the connection can take another request.
    fileprivate func send(to connection: Socket, _ keepsConnection: Bool) -> Bool {
      let length = announcedLength ?? pieces.reduce(0) { $0 + $1.count }
      var head = "HTTP/1.1 \(status) Answer\r\n"
      if status != 204 {
        head += "Content-Type: application/json\r\nContent-Length: \(length)\r\n"
      }
      if !keepsConnection { head += "Connection: close\r\n" }
      for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
        head += "\(name): \(value)\r\n"
      }
      head += "\r\n"
      var unsent = Data(head.utf8)
      for (number, piece) in pieces.enumerated() {
        if let beforePiece {
          guard connection.send(all: unsent) else { return false }
          unsent = Data()
          beforePiece(number)
        }
        unsent += piece
      }
      return connection.send(all: unsent) && announcedLength == nil
    }
  }

  /// A request as it comes over a connection.
  private struct RequestHead {
    let method: String
    let target: String
    private(set) var fields: [String: String] = [:]
    private(set) var body = Data()

    /// Waits for a request; nil at the end of the connection, and for bytes that are none.
    ///
    /// - Parameter kept: The bytes that came after the request before.
    init?(from connection: Socket, _ kept: inout Data) {
      let mark = Data("\r\n\r\n".utf8)
      while kept.range(of: mark) == nil {
        guard RequestHead.read(connection, &kept) else { return nil }
      }
      guard let end = kept.range(of: mark) else { return nil }
      let lines = String(decoding: kept[..<end.lowerBound], as: UTF8.self).components(
        separatedBy: "\r\n")
      kept = Data(kept[end.upperBound...])
      let words = lines[0].split(separator: " ")
      guard words.count == 3 else { return nil }
      (method, target) = (String(words[0]), String(words[1]))
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { continue }
        fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
      }
      let length = max(fields["content-length"].flatMap { Int($0) } ?? 0, 0)
      while kept.count < length {
        guard RequestHead.read(connection, &kept) else { return nil }
      }
      body = Data(kept.prefix(length))
      kept = Data(kept.dropFirst(length))
    }

    private static func read(_ connection: Socket, _ kept: inout Data) -> Bool {
      let bytes = connection.received()
      kept += bytes
      return !bytes.isEmpty
    }
  }
#endif
