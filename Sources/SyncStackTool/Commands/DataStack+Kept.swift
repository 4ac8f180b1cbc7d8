import Foundation
import SyncStack

extension DataStack {
  /// The stack of a store that is there, with the model that it keeps.
  ///
  /// - Parameter isReadOnly: Whether it is only looked at, as is possible where nothing can be
  ///   written.
  /// - Parameter wait: Seconds to wait for another process that holds the store.
  convenience init(
    keptAt url: URL, isReadOnly: Bool, wait: Double = CommandSyntax.usualWait
  ) throws {
    guard isReadOnly else {
      try self.init(
        model: try Store.keptModel(at: url), store: .sqlite(url), migration: .refuse,
        busyTimeout: wait)
      return
    }
    var configuration = Store.Configuration(.file(url))
    configuration.isReadOnly = true
    configuration.busyTimeout = wait
    try self.init(model: try Store.keptModel(at: url), configuration: configuration)
  }
}
