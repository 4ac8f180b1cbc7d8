#if !os(Windows)
  import Dispatch
  import SyncCore

  /// A connection that waits to be told of changes by `NOTIFY`, which the function `tell` sends
  /// after each save: its payload is the generation of the zone.
  final class PostgreSQLListener: @unchecked Sendable {
    // Unchecked: what is mutable is touched on the queue only.
    private let library: LibPQ
    private let connection: LibPQ.Connection
    private let generation: String
    private let signals: AsyncStream<Void>.Continuation
    private let source: any DispatchSourceRead

    /// Begins to listen; signals come until the connection is lost or nobody takes them any more.
    ///
    /// - Throws: ``CloudError`` when there is no connection.
    static func listen(
      _ address: PostgreSQLAddress, for generation: String,
      _ signals: AsyncStream<Void>.Continuation
    ) throws {
      let library = try LibPQ.load()
      let connection = try address.connect(library)
      let result = CTexts([]).withPointer {
        library.execParams(connection, "listen syncstack", 0, nil, $0, nil, nil, 0)
      }
      defer { library.clear(result) }
      guard library.resultStatus(result) == LibPQ.commandOK else {
        defer { library.finish(connection) }
        throw PostgreSQLFailure(result, connection, library, hiding: address.password).error
      }
      PostgreSQLListener(library, connection, generation, signals).begin()
    }

    private init(
      _ library: LibPQ, _ connection: LibPQ.Connection, _ generation: String,
      _ signals: AsyncStream<Void>.Continuation
    ) {
      (self.library, self.connection) = (library, connection)
      (self.generation, self.signals) = (generation, signals)
      source = DispatchSource.makeReadSource(
        fileDescriptor: library.socket(connection),
        queue: DispatchQueue(label: "SyncStack PostgreSQL signals"))
    }

    /// The source holds the listener until it is cancelled.
    private func begin() {
      source.setEventHandler { self.read() }
      source.setCancelHandler { [library, connection, signals] in
        library.finish(connection)
        signals.finish()
      }
      signals.onTermination = { _ in self.source.cancel() }
      source.resume()
    }

    private func read() {
      guard library.consumeInput(connection) == 1 else { return source.cancel() }
      while let notice = library.notifies(connection) {
        let payload = notice.assumingMemoryBound(to: LibPQ.Notification.self).pointee.payload
        if let payload, String(cString: payload) == generation { signals.yield() }
        library.freemem(notice)
      }
    }
  }
#endif
