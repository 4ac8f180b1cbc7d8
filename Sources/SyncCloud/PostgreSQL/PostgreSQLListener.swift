#if !os(Windows)
  import Dispatch
  import SyncCore

  /// A connection that waits to be told of changes by `NOTIFY`, which the function `tell` sends
  /// after each save, on a channel of the zone that only its readers know. When the zone gets
  /// another channel, because one of them is none any more, the signals end.
  ///
  /// After each time of silence it asks the server for a sign of life, and it ends when none has
  /// come before the next: a server that stands still is as good as none.
  final class PostgreSQLListener: @unchecked Sendable {
    // Unchecked: mutable state is touched on the queue only, but for the end, under its lock.

    private struct End: @unchecked Sendable {
      var hasCome = false

      /// The source that is cancelled then; nil until the server listens.
      var source: (any DispatchSourceRead)?
    }

    private let address: PostgreSQLAddress
    private let silence: Double
    private let signals: AsyncStream<Void>.Continuation
    private let queue = DispatchQueue(label: "SyncStack PostgreSQL signals")
    private let state = Locked(End())

    /// Whether anything has come since the server was last asked.
    private var isHeard = true

    init(_ address: PostgreSQLAddress, silence: Double, _ signals: AsyncStream<Void>.Continuation) {
      (self.address, self.silence, self.signals) = (address, silence, signals)
    }

    /// Connects, and has signals come until the connection is lost or ``end()``.
    func listen(on channel: String) {
      queue.async { [self] in
        let patience = PostgreSQLLine.Patience(silence: silence) { self.state.withLock(\.hasCome) }
        do {
          let line = try PostgreSQLLine(address, patience)
          let name = channel.replacing("\"", with: "\"\"")
          _ = try line.value("listen \"\(name)\"", [], patience)
          begin(line)
        } catch {
          signals.finish()
        }
      }
    }

    /// Ends the connection, and the signals.
    func end() {
      let source = state.withLock { state in
        state.hasCome = true
        return state.source
      }
      source?.cancel()
    }

    // MARK: - On the queue

    /// The source holds listener and line until it is cancelled.
    private func begin(_ line: PostgreSQLLine) {
      let source = DispatchSource.makeReadSource(
        fileDescriptor: line.library.socket(line.connection), queue: queue)
      source.setEventHandler {
        if !self.read(line) { self.end() }
      }
      source.setCancelHandler {
        withExtendedLifetime(line) { self.signals.finish() }
      }
      source.resume()
      let hasEnded = state.withLock { state in
        state.source = source
        return state.hasCome
      }
      if hasEnded { return source.cancel() }
      ask(line)
    }

    /// - Returns: Whether there may be more to hear.
    private func read(_ line: PostgreSQLLine) -> Bool {
      let (library, connection) = (line.library, line.connection)
      isHeard = true
      guard library.consumeInput(connection) == 1 else { return false }
      while library.isBusy(connection) == 0, let result = library.getResult(connection) {
        library.clear(result)
      }
      var hasMoved = false
      while let notice = library.notifies(connection) {
        let payload = notice.assumingMemoryBound(to: LibPQ.Notification.self).pointee.payload
        if let payload, String(cString: payload) == "moved" { hasMoved = true }
        signals.yield()
        library.freemem(notice)
      }
      return !hasMoved
    }

    private func ask(_ line: PostgreSQLLine) {
      queue.asyncAfter(deadline: .now() + silence) { [weak self, weak line] in
        guard let self, let line, !state.withLock(\.hasCome) else { return }
        let isSent = CTexts([]).withPointer {
          line.library.sendQueryParams(line.connection, "select 1", 0, nil, $0, nil, nil, 0)
        }
        guard isHeard, isSent == 1, line.library.flush(line.connection) >= 0 else { return end() }
        isHeard = false
        ask(line)
      }
    }
  }
#endif
