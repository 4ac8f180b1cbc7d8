import SyncEngine

extension TimetableDriver {
  /// Follows the live signals of a server; comes back when the line has ended, and asks then for
  /// the changes since.
  func follow(_ first: AsyncStream<Void>, again: @escaping @Sendable () -> AsyncStream<Void>?) {
    let pause = pace.shortest ?? pace.longest
    send(.listening(true))
    listen { driver in
      var line = Optional(first)
      while let current = line {
        for await _ in current { driver.send(.signalled) }
        driver.send(.listening(false))
        await driver.rest(for: pause)
        line = Task.isCancelled ? nil : again()
        if line != nil {
          driver.send(.listening(true))
          driver.send(.signalled)
        }
      }
    }
  }
}
