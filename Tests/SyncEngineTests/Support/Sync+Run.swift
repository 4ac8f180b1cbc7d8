import SyncStack
import Testing

extension Sync {
  /// Runs on this thread, with changed settings.
  @discardableResult
  func run(_ change: (Sync) -> Void = { _ in }) throws -> SyncReport {
    change(self)
    start()
    return try #require(result).get()
  }
}

extension EntitySerializer {
  /// The serializer with an attribute that tells objects apart and the rules that fill them.
  func by(_ identifier: String, _ mapping: Mapping) -> EntitySerializer {
    var serializer = self
    serializer.identifiers = [identifier]
    serializer.mapping = mapping
    return serializer
  }
}
