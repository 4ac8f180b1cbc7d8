public import SyncCore

/// A run of objects of a live result that have the same value under its section key path.
public struct LiveResultsSection: Sendable, Hashable {
  /// The value.
  public let name: Value

  /// Where the objects of the section are in the whole list.
  public let range: Range<Int>

  /// The value as text; empty when there is none.
  public var title: String { name.isNull ? "" : "\(name)" }
}

/// A place in a list with sections.
public struct LiveResultsPosition: Sendable, Hashable {
  /// Position of the section from 0.
  public let section: Int
  /// Position in the section from 0.
  public let item: Int

  package init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }
}

/// A change of a live result. A plain value that may go anywhere.
///
/// Indexes are those of the whole list; ``oldPosition(_:)`` and ``newPosition(_:)`` turn them into
/// places in sections. An object that came into another section has moved, even when its neighbours
/// are the same. Sections themselves never move, because they are in the order of their values.
public struct LiveResultsChange: Sendable {
  /// Which objects came, went, moved and changed.
  public let difference: ResultsDifference

  /// The new list.
  public let identifiers: [ManagedObjectID]

  /// Indexes of sections that went, among ``oldSections``.
  public let sectionDeletions: [Int]

  /// Indexes of sections that came, among ``newSections``.
  public let sectionInsertions: [Int]
  /// The sections before.
  public let oldSections: [LiveResultsSection]
  /// The sections now.
  public let newSections: [LiveResultsSection]

  /// The place of an index in the old list.
  public func oldPosition(_ index: Int) -> LiveResultsPosition {
    LiveResultsPosition(index, in: oldSections)
  }

  /// The place of an index in the new list.
  public func newPosition(_ index: Int) -> LiveResultsPosition {
    LiveResultsPosition(index, in: newSections)
  }
}

extension LiveResultsPosition {
  init(_ index: Int, in sections: [LiveResultsSection]) {
    let section = firstPlace(among: sections.count) { sections[$0].range.upperBound <= index }
    require(section < sections.count, "There is no object at index \(index).")
    self.init(section: section, item: index - sections[section].range.lowerBound)
  }
}

/// The asynchronous sequences of one live result.
///
/// Mutable state is in `state`, under its mutex: sequences end on whichever thread drops them.
final class ResultsStreams: Sendable {
  private struct State {
    var next = 0
    var receivers: [Int: @Sendable (LiveResultsChange) -> Void] = [:]
  }

  private let state = Locked(State())

  /// Makes a sequence of a function's results for each change.
  ///
  /// - Parameter owner: kept alive as long as the sequence is read.
  func make<Element: Sendable>(
    keeping owner: some Sendable, first: Element,
    buffering policy: AsyncStream<Element>.Continuation.BufferingPolicy,
    _ element: @escaping @Sendable (LiveResultsChange) -> Element
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy)
    continuation.yield(first)
    let id = state.withLock { state in
      defer { state.next += 1 }
      state.receivers[state.next] = { continuation.yield(element($0)) }
      return state.next
    }
    continuation.onTermination = { _ in
      let removed = self.state.withLock { $0.receivers.removeValue(forKey: id) }
      withExtendedLifetime((owner, removed)) {}
    }
    return stream
  }

  /// Hands a change to all sequences, in the order in which they were made.
  func yield(_ change: LiveResultsChange) {
    let receivers = state.withLock { $0.receivers }
    for receiver in receivers.inKeyOrder { receiver.value(change) }
  }
}
