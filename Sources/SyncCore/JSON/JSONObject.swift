/// The members of a JSON object, in order.
///
/// Names are compared byte by byte, as the store compares text. Setting a name that is there keeps
/// its place; equality does not look at the order.
public struct JSONObject: Sendable {
  /// One name with its value.
  public struct Member: Sendable, Hashable {
    /// The name.
    public let key: String
    /// The value under the name.
    public var value: JSONValue
  }

  private(set) var members: [Member] = []
  /// Positions by name, once there are too many members to look through.
  private var positions: [ByteKey: Int]?

  private static let linearLimit = 16

  /// Makes an empty object.
  public init() {}

  /// Makes an object; of repeated names the last value counts.
  public init(_ pairs: some Sequence<(key: String, value: JSONValue)>) {
    for pair in pairs { self[pair.key] = pair.value }
  }

  /// The value of a name; nil when it is not there. Setting nil removes it.
  ///
  /// - Complexity: O(1) on average; removing is O(*n*).
  public subscript(key: String) -> JSONValue? {
    get {
      position(of: key).map { members[$0].value }
    }
    set {
      switch (position(of: key), newValue) {
      case (let position?, let value?): members[position].value = value
      case (let position?, nil): remove(at: position)
      case (nil, let value?): append(key, value)
      case (nil, nil): break
      }
    }
  }

  /// The names in order.
  public var keys: [String] { members.map(\.key) }

  /// The values in order.
  public var values: [JSONValue] { members.map(\.value) }

  /// Makes room for members.
  package mutating func reserveCapacity(_ count: Int) {
    members.reserveCapacity(count)
  }

  private func position(of key: String) -> Int? {
    if let positions { return positions[ByteKey(text: key)] }
    let key = ByteKey(text: key)
    return members.firstIndex { ByteKey(text: $0.key) == key }
  }

  private mutating func append(_ key: String, _ value: JSONValue) {
    positions?[ByteKey(text: key)] = members.count
    members.append(Member(key: key, value: value))
    if positions == nil && members.count > JSONObject.linearLimit { indexMembers() }
  }

  private mutating func remove(at position: Int) {
    members.remove(at: position)
    if positions != nil { indexMembers() }
  }

  private mutating func indexMembers() {
    var result: [ByteKey: Int] = [:]
    result.reserveCapacity(members.count)
    for (position, member) in members.enumerated() { result[ByteKey(text: member.key)] = position }
    positions = result
  }
}

/// A text compared by its bytes, not by the canonical equivalence of `String`.
struct ByteKey: Hashable {
  let text: String

  static func == (left: ByteKey, right: ByteKey) -> Bool {
    left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension JSONObject: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { members.count }
  public subscript(position: Int) -> Member { members[position] }
}

extension JSONObject: Hashable {
  /// Whether both have the same names with equal values, in any order.
  ///
  /// - Complexity: O(*n*).
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
  }

  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in members {
      var inner = Hasher()
      inner.combine(ByteKey(text: member.key))
      inner.combine(member.value)
      sum &+= inner.finalize()
    }
    hasher.combine(count)
    hasher.combine(sum)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral pairs: (String, JSONValue)...) {
    for (key, value) in pairs { self[key] = value }
  }
}

extension JSONObject: CustomStringConvertible {
  /// The object as JSON text.
  public var description: String { JSONValue.object(self).description }
}
