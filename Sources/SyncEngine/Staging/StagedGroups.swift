import SyncCore

/// The groups of stored objects that mappings of a batch know about, and in which of them its occurrences are looked for.
struct StagedGroups {
  /// By their numbers.
  private(set) var filters: [Filter] = []
  private var numbers: [String: Int32] = [:]

  /// The group of each occurrence, -1 for all objects; nil while there are no groups.
  private var ofOccurrences: PlainArray<Int32>?

  /// Groups of which all go that no list names; -1 is all objects.
  var deleting: Set<Int32> = []

  var isEmpty: Bool { filters.isEmpty }

  /// The number of a group.
  ///
  /// - Parameter count: How many occurrences there are.
  mutating func number(of filter: Filter, after count: Int) -> Int32 {
    let text = filter.wholeText
    if let known = numbers[text] { return known }
    if ofOccurrences == nil { ofOccurrences = PlainArray(repeating: -1, count: count) }
    let number = Int32(clamping: filters.count)
    filters.append(filter)
    numbers[text] = number
    return number
  }

  /// Notes the group of the next occurrence.
  @inline(__always)
  func append(_ group: Int32) { ofOccurrences?.append(group) }

  /// The number of the group that an occurrence is looked for in, -1 for all objects.
  func group(of occurrence: Int32) -> Int32 {
    guard let ofOccurrences, occurrence < ofOccurrences.count else { return -1 }
    return ofOccurrences[occurrence]
  }
}

@available(*, unavailable, message: "Groups are confined to their batch.")
extension StagedGroups: Sendable {}
