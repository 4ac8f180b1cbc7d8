/// Who writes, for the change set and the history.
package struct TransactionInfo: Sendable, Hashable {
  /// The author of the context or sync, if it has one.
  package var author: String?

  /// Name of the context or operation.
  package var contextName: String?

  /// Which scratchpad writes; 0 is nobody.
  package var origin: UInt64

  /// Where the changes come from.
  package typealias Source = HistorySource

  package var source: Source

  package init(
    author: String? = nil, contextName: String? = nil, origin: UInt64 = 0, source: Source = .local
  ) {
    self.author = author
    self.contextName = contextName
    self.origin = origin
    self.source = source
  }
}
