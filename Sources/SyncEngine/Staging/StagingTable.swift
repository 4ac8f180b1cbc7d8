import SyncCore

/// A member table laid flat for the loop over all members of all objects: the targets of a key, in
/// a few bytes, and the key that is likely to follow it.
///
/// ```
/// entries    use, precedence, rule, slot          one per entry of the member table
/// following  entry that followed it last time     the first is for the first key of an object
/// ```
///
/// A key whose only meaning is one attribute, converted in the way of its type, is filled in place;
/// all others take the general way. Confined to the stager.
final class StagingTable {
  /// How a value gets where it belongs.
  enum Use: UInt8 {
    /// By looking at all targets and children of the entry.
    case general
    /// It is the only value of a relationship's key.
    case link
    // The usual JSON of the usual types is converted here, everything else in the general way.
    case text
    case integer
    case boolean
    case real
    case date
    /// A date as rules for ISO 8601 take it.
    case zonedDate
  }

  struct Entry: BitwiseCopyable {
    var use: Use
    var precedence: UInt8
    var kind: MemberTarget.Kind
    var rule: Int32
    var slot: Int32
  }

  let members: MemberTable
  let children: [StagingTable?]
  /// The targets of the elements of an array.
  let positions: StagingTable?
  /// Whether an item itself, of any kind, fills an attribute.
  let hasItself: Bool
  /// The keys that lead to the members, each with a dot behind it: `fields.` for members below
  /// `fields`.
  let prefix: [UInt8]
  private let index: MemberIndex
  private let entries: UnsafeMutablePointer<Entry>
  private let following: UnsafeMutablePointer<Int32>

  init(_ members: MemberTable, of node: PlanNode, below prefix: [UInt8] = []) {
    self.members = members
    self.prefix = prefix
    index = members.index
    children = members.entries.map { entry in
      entry.child.map { StagingTable($0, of: node, below: prefix + Array("\(entry.key).".utf8)) }
    }
    hasItself = !members.itself.isEmpty
    positions = members.positions.map { StagingTable($0.table, of: node, below: prefix) }
    entries = .allocate(capacity: members.entries.count)
    for (number, entry) in members.entries.enumerated() {
      (entries + number).initialize(to: StagingTable.entry(entry, of: node))
    }
    following = .allocate(capacity: members.entries.count + 1)
    following.initialize(repeating: -1, count: members.entries.count + 1)
  }

  deinit {
    entries.deallocate()
    following.deallocate()
  }

  @inline(__always)
  subscript(entry: Int) -> Entry { entries[entry] }

  /// The entry of a key, or -1 when it means nothing.
  ///
  /// - Parameter previous: The entry of the key before it, -1 in the beginning; becomes the one
  ///   found.
  @inline(__always)
  func find(_ key: UnsafeRawBufferPointer, after previous: inout Int) -> Int {
    let guess = Int(following[previous + 1])
    guard index.matches(guess, key) else { return search(key, after: &previous) }
    previous = guess
    return guess
  }

  @inline(never)
  private func search(_ key: UnsafeRawBufferPointer, after previous: inout Int) -> Int {
    let found = members.find(key)
    guard found >= 0 else { return -1 }
    following[previous + 1] = Int32(found)
    previous = found
    return found
  }

  private static func entry(_ entry: MemberEntry, of node: PlanNode) -> Entry {
    var result = Entry(use: .general, precedence: 0, kind: .attribute, rule: 0, slot: 0)
    guard entry.targets.count == 1, entry.child == nil else { return result }
    let target = entry.targets[0]
    result.precedence = target.precedence
    result.kind = target.kind
    result.rule = Int32(target.rule)
    guard target.kind == .attribute else {
      result.use = .link
      return result
    }
    let rule = node.attributes[target.rule]
    result.slot = Int32(rule.slot)
    result.use = use(rule.converter)
    return result
  }

  /// How the values of a converter get into their cells.
  static func use(_ converter: ValueConverter) -> Use {
    if converter.decoder == nil, converter.check == nil, case .isoDate = converter.form {
      return .zonedDate
    }
    guard converter.isUsual else { return .general }
    let (use, kind): (Use, JSONKinds) =
      switch converter.type {
      case .string: (.text, .string)
      case .integer16, .integer32, .integer64: (.integer, .number)
      case .boolean: (.boolean, .boolean)
      case .double, .float: (.real, .number)
      case .date: (.date, .string)
      case .decimal, .binary, .uuid, .uri, .transformable: (.general, [])
      }
    return converter.accepts.isSuperset(of: kind) ? use : .general
  }
}

@available(*, unavailable, message: "A staging table is confined to its stager.")
extension StagingTable: Sendable {}

extension ValueConverter {
  /// Whether the type alone decides how a value of the kind that is usual for it is converted.
  fileprivate var isUsual: Bool {
    guard decoder == nil, check == nil else { return false }
    switch type {
    case .integer64: return form == .natural || form == .wholeNumber
    case .integer16, .integer32: return !checksWidth && form == .natural
    default: return form == .natural
    }
  }
}

// The accessors of the module that owns these types are calls; here they would be one per value.
extension JSONToken {
  /// The bytes of a string without escapes, or of a number that is no integer.
  @inline(__always)
  var content: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(word)), count: Int(length))
  }
}

extension Cell {
  /// Whether there is no value to store.
  @inline(__always)
  var holdsNothing: Bool {
    switch kind {
    case .absent, .null: true
    default: false
    }
  }
}
