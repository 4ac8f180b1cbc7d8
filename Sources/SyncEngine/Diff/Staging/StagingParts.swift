import SyncCore

/// In which place of the payload an object stands.
enum Role {
  /// At the top.
  case root
  /// At the top, as the description of a stored row.
  case target(Int64)
  /// Under a to-one relationship.
  case toOne(Owner)
  /// In a list of which several owners may share the members.
  case shared(Owner)
  /// In the list of one owner, which its members have to themselves.
  case member(Owner)

  /// The object under whose relationship it stands.
  var owner: Owner? {
    switch self {
    case .root, .target: nil
    case .toOne(let owner), .shared(let owner), .member(let owner): owner
    }
  }
}

/// An object and the relationship of it that something stands under.
struct Owner: Equatable {
  let batch: Int
  /// Occurrence of the batch.
  let owner: Int32
  /// Relationship rule of the batch's node.
  let rule: Int
}

/// A list of one owner.
struct ListKey: Hashable {
  let batch: Int
  let owner: Int32
  let rule: Int
}

/// A scanned item, and where the bytes lie that its offsets count from. Valid until the tape is used
/// for the next item.
struct ItemSource {
  let tape: JSONTape
  let base: UInt
  let tokens: UnsafeMutablePointer<JSONToken>

  init(tape: JSONTape, base: UInt) {
    self.tape = tape
    self.base = base
    tokens = tape.tokens
  }

  /// Address of a value: what identifies an item of the payload.
  @inline(__always)
  func address(_ token: Int) -> UInt {
    base + UInt(truncatingIfNeeded: tokens[token].start)
  }
}

/// A value under a key of a relationship.
struct LinkCandidate: BitwiseCopyable {
  let rule: Int
  let kind: MemberTarget.Kind
  let precedence: UInt8
  let token: Int

  /// Whether the key is one of identifiers, so that an object does not belong under it.
  var isForReferences: Bool {
    if case .references = kind { true } else { false }
  }
}

/// What happens to an item at the top of a payload that cannot be stored as it stands.
///
/// The policy is about what one item is to blame for:
///
/// - it is no JSON object, or its key is missing or cannot be read;
/// - it, or an object nested in it at any depth, would be without a value it requires: a new object is
///   given none and the model has no default, a stored one is given null, or a required to-one
///   relationship would lead nowhere;
/// - a value of it, or of an object nested in it, breaks a minimum, a maximum or a regular expression of
///   the model;
/// - a list of it has more objects than the model allows, or one of a new object has fewer;
/// - a rule of an explicit mapping refuses a value.
///
/// When several items describe one object, those are to blame that gave the value. An object in a
/// *nested* list that has no readable key costs only itself with ``skip``.
///
/// What is decided about the result as a whole fails the sync in any case: text that is no JSON,
/// uniqueness constraints, the delete rule *deny*, the deletion guard, and how many objects relationships
/// come to have by several items and by deletions: that is checked at the end of each transaction, over the
/// objects whose members changed.
public enum ItemErrorPolicy: String, Sendable, Hashable, CaseIterable, Codable {
  /// The sync fails and stores nothing.
  case fail
  /// The item is left out with everything below it, and reported. What it names is not deleted.
  case skip
  /// As ``skip``; and the item's JSON and the reason are kept in the store, in the transaction of the
  /// sync, to be listed and replayed.
  case quarantine
}

/// Working memory of the stager for one plan node: which attribute the current object filled from
/// which spelling, and what the report will say of all of them.
final class StagingScratch {
  private let node: PlanNode
  private let precedence: UnsafeMutablePointer<UInt8>
  /// The item that filled each attribute last; 0 is none.
  private let filled: UnsafeMutablePointer<UInt32>
  private let count: Int
  private var unused: [(key: [UInt8], count: Int)] = []
  private var unusedHint = 0
  private static let unclaimed = UInt8.max

  /// Number of the item at the top that is staged.
  var serial: UInt32 = 1
  /// The item that had an object of the node last.
  private var touched: UInt32 = 0
  /// Told about each unused key, by its number; -1 is one that is not counted.
  var onUnused: ((Int) -> Void)?
  /// Whether items that were not read had objects of the node.
  private(set) var isReplayed = false

  /// Whether any rule does more than leave an attribute alone when the JSON does not mention it.
  let hasMissingRules: Bool

  init(node: PlanNode) {
    self.node = node
    hasMissingRules = node.attributes.contains { $0.missing != .keep }
    count = node.attributes.count
    precedence = .allocate(capacity: count)
    precedence.initialize(repeating: StagingScratch.unclaimed, count: count)
    filled = .allocate(capacity: count)
    filled.initialize(repeating: 0, count: count)
  }

  deinit {
    precedence.deallocate()
    filled.deallocate()
  }

  /// Forgets the last object.
  func begin() {
    precedence.update(repeating: StagingScratch.unclaimed, count: count)
    unusedHint = 0
    touched = serial
  }

  /// Whether a spelling may fill its attribute: no more explicit one of the same object did.
  @inline(__always)
  func claims(_ rule: Int, _ precedence: UInt8) -> Bool {
    guard precedence <= self.precedence[rule] else { return false }
    self.precedence[rule] = precedence
    filled[rule] = serial
    return true
  }

  /// Counts a key that fills nothing. Objects repeat their keys in the same order, so the one that
  /// followed last time is tried first.
  func noteUnused(_ key: UnsafeRawBufferPointer) {
    if unusedHint < unused.count, unused[unusedHint].key.elementsEqual(key) {
      unused[unusedHint].count += 1
      unusedHint += 1
    } else if let index = unused.firstIndex(where: { $0.key.elementsEqual(key) }) {
      unused[index].count += 1
      unusedHint = index + 1
    } else if unused.count < StagingScratch.unusedLimit {
      unused.append((Array(key), 1))
      unusedHint = unused.count
    } else {
      onUnused?(-1)
      return
    }
    onUnused?(unusedHint - 1)
  }

  /// Different unused keys that are counted; a payload that uses data as keys has no end of them.
  private static let unusedLimit = 256

  // MARK: - For fingerprints

  /// Whether no further unused key would be counted.
  var isFull: Bool { unused.count == StagingScratch.unusedLimit }

  func unusedKey(_ index: Int) -> [UInt8] { unused[index].key }

  /// Adds how many words follow, and a bit for each attribute that the current item filled; nothing
  /// follows when it had no object of the node.
  func appendFilled(to words: PlainArray<UInt64>) {
    guard touched == serial else { return words.append(0) }
    words.append(UInt64(max(count + 63, 64) / 64))
    var word: UInt64 = 0
    for rule in 0..<count {
      if filled[rule] == serial { word |= 1 << UInt64(rule & 63) }
      if rule & 63 == 63, rule + 1 < count {
        words.append(word)
        word = 0
      }
    }
    words.append(word)
  }

  /// Counts attributes as filled, a bit for each.
  func replay(_ rules: [UInt64]) {
    isReplayed = true
    for rule in 0..<count
    where rule / 64 < rules.count && rules[rule / 64] & (1 << UInt64(rule & 63)) != 0
      && filled[rule] == 0
    {
      filled[rule] = 1
    }
  }

  /// Counts an unused key.
  func replay(_ key: [UInt8], count: Int) {
    if let index = unused.firstIndex(where: { $0.key == key }) {
      unused[index].count += count
    } else if unused.count < StagingScratch.unusedLimit {
      unused.append((key, count))
    }
  }

  func report(into report: inout SyncReport.EntityReport) {
    for (key, count) in unused {
      report.unusedKeys[String(decoding: key, as: UTF8.self), default: 0] += count
    }
    report.unfilledAttributes = node.attributes.indices
      .filter { filled[$0] == 0 }.map { node.attributes[$0].name }
  }
}

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

  /// Whether it is at an item at the top, not below one.
  var isAtItem: Bool { steps.count == 0 }

  var description: String {
    var result = "\(list)[\(item)]"
    for step in steps {
      result += "." + plan.nodes[Int(step.node)].relationships[Int(step.rule)].name
      if step.index >= 0 { result += "[\(step.index)]" }
    }
    return result
  }
}
