import SyncCore

/// Where in the payload the stager is, kept as numbers and written only when a report needs it.
/// Confined to the stager.
final class PayloadPath: CustomStringConvertible {
  private struct Step: BitwiseCopyable {
    // The stager owns its links longer than any path.
    var link: Unmanaged<StagingLink>
    /// The value at the key: a value of a tape that is kept while anything below it is read. Nil is
    /// where the rule says.
    var value: (tape: Unmanaged<JSONTape>, token: Int)?
    var index: Int
  }

  private let steps = PlainArray<Step>()
  /// The text in place of the index of a step whose list is no plain one, by its depth.
  private var elements: [Int: String] = [:]
  private var item = 0

  /// Where items stand: those from a number on one behind the other, from a place on.
  @exclusivity(unchecked) private var runs: [(item: Int, place: JSONItemPlace)] = []

  /// - Parameter place: Where the item stands; nil is behind the item before it.
  func reset(item: Int, at place: JSONItemPlace?) {
    self.item = item
    steps.removeAll(from: 0)
    guard let place else { return }
    if let last = runs.last, place.element >= 0, last.place.element >= 0,
      place.element - last.place.element == item - last.item, place.path == last.place.path
    {
      return
    }
    runs.append((item, place))
  }

  /// Goes to the value under a relationship.
  @inline(__always)
  func push(_ link: StagingLink, _ choice: LinkCandidate, _ source: ItemSource) {
    // Of several spellings the document has one.
    steps.append(
      Step(
        link: .passUnretained(link),
        value: choice.precedence == 0 ? nil : (.passUnretained(source.tape), choice.token),
        index: -1))
  }

  /// Whether it is the item itself, nothing below it.
  var isAtTop: Bool { steps.isEmpty }

  @inline(__always)
  func setIndex(_ index: Int) {
    steps[steps.count - 1].index = index
  }

  /// Goes to an element that is no direct one of the list.
  func setElement(_ text: String) {
    elements[steps.count - 1] = text
  }

  @inline(__always)
  func pop() {
    steps.removeAll(from: steps.count - 1)
    if !elements.isEmpty { elements[steps.count] = nil }
  }

  /// The path of an item.
  func text(ofItem item: Int) -> String {
    guard let run = runs.last(where: { $0.item <= item }) else { return "$" }
    guard run.place.element >= 0 else { return run.place.path }
    return "\(run.place.path)[\(run.place.element + item - run.item)]"
  }

  var description: String {
    var result = text(ofItem: item)
    for (depth, step) in steps.enumerated() {
      if let (tape, token) = step.value {
        result += JSONPath.text(ofKey: tape.takeUnretainedValue().string(token - 1))
      } else {
        result += step.link.takeUnretainedValue().rule.path
      }
      if let element = elements[depth] {
        result += element
      } else if step.index >= 0 {
        result += "[\(step.index)]"
      }
    }
    return result
  }
}
