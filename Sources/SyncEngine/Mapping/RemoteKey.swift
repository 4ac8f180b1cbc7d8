import SyncCore

/// Where in an item the value of a property stands: the key of a member, or the keys that lead to
/// it through nested objects.
package struct RemoteKey: Sendable, Hashable, Codable {
  /// The keys from the outermost to the innermost; none stands for the item itself.
  package let steps: [String]

  /// Whether the key was given by an annotation or a rule, not derived from the property's name.
  package let isCustom: Bool
}

extension RemoteKey: CustomStringConvertible {
  /// Makes a custom key from text in which dots separate the steps. Text with an empty step, such
  /// as `a..b`, is one literal key; `['a.b']` is one with a dot. The way inside each element of a
  /// list, behind `[]` or `*`, is no part of the key.
  init(dotted text: String) {
    let path = JSONPath(text)
    if path.leadsToEach || text.contains("['") || text.contains("[\"") {
      self.init(steps: path.listPath.steps.map(\.key), isCustom: true)
      return
    }
    let steps = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    self.init(steps: steps.contains("") ? [text] : steps, isCustom: true)
  }

  /// The steps with dots between them, in quotation marks where a step has one itself, as
  /// annotations take it.
  package var description: String {
    steps.reduce("") { text, step in
      step.contains(".") ? "\(text)['\(step)']" : text + (text.isEmpty ? "" : ".") + step
    }
  }
}
