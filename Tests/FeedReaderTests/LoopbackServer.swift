import Foundation

#if !canImport(WinSDK)
  /// A small HTTP server on the loopback address, for the tests: one request a connection,
  /// one thread each.
  ///
  /// Its state is in a ``Guarded``.
  final class LoopbackServer: Sendable {
    struct Request: Sendable {
      let path: String
      /// Items of the query by name.
      let query: [String: String]
      /// How often the same page was asked for before.
      let repetition: Int
    }

    private struct State {
      var targets: [String] = []
      var connections: Set<Socket> = []
      var isStopped = false
    }

    private let listener: Socket
    private let state = Guarded(State())
    private let handler: @Sendable (Request) -> Answer

    /// The port it listens on.
    let port: UInt16

    /// Listens on a free port until it is stopped or let go of.
    init(_ handler: @escaping @Sendable (Request) -> Answer) throws {
      listener = try Socket.listening()
      port = listener.port
      self.handler = handler
      let (listener, state) = (listener, state)
      Thread.detachNewThread {
        while let connection = try? listener.nextConnection() {
          let isStopped = state.with { state in
            if !state.isStopped { state.connections.insert(connection) }
            return state.isStopped
          }
          if isStopped {
            connection.end()
            break
          }
          Thread.detachNewThread {
            Self.serve(connection, state, handler)
            let isOurs = state.with { $0.connections.remove(connection) != nil }
            if isOurs { connection.end() }
          }
        }
        listener.end()
      }
    }

    deinit {
      stop()
    }

    /// What was asked for, in order: `/articles?page=2`.
    var targets: [String] { state.with { $0.targets } }

    /// The address of a page.
    func url(_ target: String) -> URL? {
      URL(string: "http://127.0.0.1:\(port)\(target)")
    }

    /// Hangs up on everybody.
    func stop() {
      let connections = state.with { state in
        defer { state.connections = [] }
        guard !state.isStopped else { return nil as Set<Socket>? }
        state.isStopped = true
        return state.connections
      }
      guard let connections else { return }
      for connection in connections { connection.end() }
      // The thread that listens wakes up by a connection, and sees that it is to end.
      if let last = try? Socket.connected(toPort: port) { last.end() }
    }

    private static func serve(
      _ connection: Socket, _ state: Guarded<State>, _ handler: @Sendable (Request) -> Answer
    ) {
      var head: [UInt8] = []
      while !head.contains(subsequence: Array("\r\n\r\n".utf8)) {
        let bytes = connection.received()
        if bytes.isEmpty { return }
        head += bytes
      }
      let words = String(decoding: head, as: UTF8.self).split(separator: " ", maxSplits: 2)
      guard words.count == 3 else { return }
      let target = String(words[1])
      let repetition = state.with { state in
        defer { state.targets.append(target) }
        return state.targets.count { $0 == target }
      }
      let parts = URLComponents(string: target)
      let items = (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
      let request = Request(
        path: parts?.path ?? "", query: Dictionary(items) { $1 }, repetition: repetition)
      handler(request).send(to: connection)
    }
  }

  extension [UInt8] {
    fileprivate func contains(subsequence: [UInt8]) -> Bool {
      count >= subsequence.count
        && (0...count - subsequence.count).contains { start in
          self[start..<start + subsequence.count].elementsEqual(subsequence)
        }
    }
  }

  /// What the server answers to one request.
  struct Answer: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    var pieces: [Data] = []
    /// The length that is announced, when it is not that of the pieces.
    var announcedLength: Int?
    /// Called before each piece is sent, with its number.
    var beforePiece: (@Sendable (Int) -> Void)?

    /// A document.
    static func json(_ text: String, headers: [String: String] = [:]) -> Answer {
      Answer(headers: headers, pieces: [Data(text.utf8)])
    }

    /// A status without a document.
    static func status(_ status: Int, headers: [String: String] = [:]) -> Answer {
      Answer(status: status, headers: headers)
    }

    /// The same answer in pieces of so many bytes.
    func inPieces(of size: Int, before: (@Sendable (Int) -> Void)? = nil) -> Answer {
      let whole = pieces.reduce(Data(), +)
      var answer = self
      answer.pieces = stride(from: 0, to: whole.count, by: size).map {
        whole[$0..<Swift.min($0 + size, whole.count)]
      }
      answer.beforePiece = before
      return answer
    }

    fileprivate func send(to connection: Socket) {
      let length = announcedLength ?? pieces.reduce(0) { $0 + $1.count }
      var head = "HTTP/1.1 \(status) Answer\r\nContent-Type: application/json\r\n"
      head += "Content-Length: \(length)\r\nConnection: close\r\n"
      for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
        head += "\(name): \(value)\r\n"
      }
      guard connection.send(all: Data((head + "\r\n").utf8)) else { return }
      for (number, piece) in pieces.enumerated() {
        beforePiece?(number)
        guard connection.send(all: piece) else { return }
      }
    }
  }
#endif
