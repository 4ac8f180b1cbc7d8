import SyncStack
import Testing

/// One step of a random sequence: a sync, or something else that happens to the store.
struct OracleStep: CustomStringConvertible {
  enum Kind {
    case sync
    case dryRun
    /// A sync that is cancelled when it has passed so many checkpoints.
    case cancelled(after: Int)
    /// Random edits in a context, saved.
    case edits(seed: UInt64)
    /// A write of another program.
    case write(ForeignWrite)
    /// All edits up to now were sent.
    case acknowledge
  }

  var kind = Kind.sync
  /// The payloads of a sync, mostly one.
  var lists: [OraclePayload] = []

  var description: String { "\(kind)\(lists.map { "\n    \($0)" }.joined())" }

  /// The same with less in it, in many ways.
  fileprivate var smaller: [OracleStep] {
    lists.indices.flatMap { list -> [OracleStep] in
      var result = smaller(JSONValue.array(lists[list].items)).map { items in
        var step = self
        step.lists[list].items = items.arrayValue ?? []
        return step
      }
      if lists[list].operations != .all {
        result.append(self)
        result[result.count - 1].lists[list].operations = .all
      }
      if lists.count > 1 {
        result.append(self)
        result[result.count - 1].lists.remove(at: list)
      }
      return result
    }
  }

  private func smaller(_ value: JSONValue) -> [JSONValue] {
    if let elements = value.arrayValue {
      return elements.indices.flatMap { position -> [JSONValue] in
        let (before, after) = elements.around(position)
        return [.array(before + after)]
          + smaller(elements[position]).map { .array(before + [$0] + after) }
      }
    }
    guard let object = value.objectValue else { return [] }
    return object.flatMap { member -> [JSONValue] in
      let values: [JSONValue?] = smaller(member.value)
      let removed: [JSONValue?] = member.key == "id" ? [] : [Optional.none]
      return (removed + values).map { value -> JSONValue in
        var object = object
        object[member.key] = value
        return .object(object)
      }
    }
  }
}

extension [OracleStep] {
  /// The first difference that a step makes, in words; nil when there is none.
  func firstDifference(_ difference: (OracleStep) throws -> String?) rethrows -> String? {
    for (position, step) in enumerated() {
      if let found = try difference(step) { return "Step \(position + 1): \(found)" }
    }
    return nil
  }

  /// Expects that the steps make no difference; else records the shortest ones found that do.
  ///
  /// - Parameter difference: The first difference that steps make, in words; nil when there is none.
  /// - Returns: Whether there was none.
  func expectNone(_ title: String, _ difference: ([OracleStep]) throws -> String?) throws -> Bool {
    guard try difference(self) != nil else { return true }
    var best = self
    var attempts = 0
    while attempts < 600,
      let shorter = try best.smaller.first(where: {
        attempts += 1
        return try difference($0) != nil
      })
    {
      best = shorter
    }
    let steps = best.map(\.description).joined(separator: "\n")
    Issue.record("\(title):\n\(steps)\n\(try difference(best) ?? "")")
    return false
  }

  private var smaller: [[OracleStep]] {
    indices.flatMap { position -> [[OracleStep]] in
      let (before, after) = around(position)
      return [before + after] + self[position].smaller.map { before + [$0] + after }
    }
  }
}

extension Array {
  /// The elements in front of one and those behind it.
  fileprivate func around(_ position: Int) -> (before: [Element], after: [Element]) {
    (Array(prefix(position)), Array(dropFirst(position + 1)))
  }
}
