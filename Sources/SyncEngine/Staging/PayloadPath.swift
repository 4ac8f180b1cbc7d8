import SyncCore

/// Where in the payload the stager is, kept as numbers and written only when a report needs it.
/// Confined to the stager.
final class PayloadPath: CustomStringConvertible {
  private struct Step: BitwiseCopyable {
    var node: Int32
    var rule: Int32
    var index: Int
  }

  private let steps = PlainArray<Step>()
  private var item = 0
  private let list: String
  private let plan: MappingPlan

  /// - Parameter list: The dotted path of the list inside the document.
  init(list: String?, plan: MappingPlan) {
    self.list = list.map { "$." + $0 } ?? "$"
    self.plan = plan
  }

  func reset(item: Int) {
    self.item = item
    steps.removeAll(from: 0)
  }

  /// Goes to a relationship of the node.
  @inline(__always)
  func push(node: Int, rule: Int) {
    steps.append(Step(node: Int32(node), rule: Int32(rule), index: -1))
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

  var description: String {
    var result = "\(list)[\(item)]"
    for step in steps {
      result += "." + plan.nodes[Int(step.node)].relationships[Int(step.rule)].name
      if step.index >= 0 { result += "[\(step.index)]" }
    }
    return result
  }
}
