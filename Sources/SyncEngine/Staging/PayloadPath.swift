import SyncCore

/// Where in the payload the stager is, kept as numbers and written only when a report needs it.
/// Confined to the stager.
final class PayloadPath: CustomStringConvertible {
  private struct Step: BitwiseCopyable {
    // The stager owns its links longer than any path.
    var link: Unmanaged<StagingLink>
    var index: Int
  }

  private let steps = PlainArray<Step>()
  private var item = 0
  private let list: String

  /// - Parameter list: The dotted path of the list inside the document.
  init(list: String?) {
    self.list = list.map { "$." + $0 } ?? "$"
  }

  func reset(item: Int) {
    self.item = item
    steps.removeAll(from: 0)
  }

  /// Goes to what stands under a relationship.
  @inline(__always)
  func push(_ link: StagingLink) {
    steps.append(Step(link: .passUnretained(link), index: -1))
  }

  /// Whether it is the item itself, nothing below it.
  var isAtTop: Bool { steps.isEmpty }

  @inline(__always)
  func setIndex(_ index: Int) {
    steps[steps.count - 1].index = index
  }

  @inline(__always)
  func pop() {
    steps.removeAll(from: steps.count - 1)
  }

  /// The path of an item.
  func text(ofItem item: Int) -> String { "\(list)[\(item)]" }

  var description: String {
    var result = text(ofItem: item)
    for step in steps {
      result += step.link.takeUnretainedValue().key
      if step.index >= 0 { result += "[\(step.index)]" }
    }
    return result
  }
}
