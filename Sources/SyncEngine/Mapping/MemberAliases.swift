import SyncCore

/// Finds a property by a spelling of its name that is not declared: `FIRST_NAME`, `First__Name`,
/// `_first_name`, `firstname`.
///
/// Keys that mean nothing are frequent, so most are refused without making text of them: small
/// letters without separators, hashed, must be those of a name.
struct MemberAliases: Sendable {
  private struct Candidate: Sendable {
    let hash: Int
    let name: String
    let snake: String
    let natural: String
    /// Small letters without separators.
    let letters: String
    let number: Int
  }

  /// Number of the entry that stands for the first name; the others follow.
  let firstEntry: Int
  /// By hash, those of one hash in the order of the names.
  private let candidates: [Candidate]
  private let hasOtherLetters: Bool

  /// Takes names, whose entries follow each other.
  init(_ names: [String], firstEntry: Int = 0) {
    self.firstEntry = firstEntry
    var hasOtherLetters = false
    let candidates = names.enumerated().map { number, name in
      var text = name
      let hash = text.withUTF8 { MemberAliases.fold(UnsafeRawBufferPointer($0)) }
      if hash == nil { hasOtherLetters = true }
      return Candidate(
        hash: hash ?? 0, name: name, snake: Inflection.snake(name),
        natural: Inflection.naturalSnake(name), letters: MemberAliases.letters(name),
        number: number)
    }
    self.candidates = candidates.sorted { ($0.hash, $0.number) < ($1.hash, $1.number) }
    self.hasOtherLetters = hasOtherLetters
  }

  /// Bytes of the longest key that is looked at: a key that goes on for megabytes is no spelling of
  /// anything, and could not be left when the sync is cancelled.
  private static let longestKey = 1024

  /// The entry of the key, or -1.
  func find(_ key: UnsafeRawBufferPointer) -> Int {
    guard key.count <= MemberAliases.longestKey else { return -1 }
    guard let hash = MemberAliases.fold(key) ?? (hasOtherLetters ? 0 : nil) else { return -1 }
    let first = firstPlace(among: candidates.count) { candidates[$0].hash < hash }
    guard first < candidates.count, candidates[first].hash == hash else { return -1 }
    let text = String(decoding: key, as: UTF8.self)
    let name = Inflection.camel(text)
    // Separators in any number count where an underscore is among them; `first-name` is no
    // spelling.
    let lower = text.lowercased()
    let words = text.contains("_") ? Inflection.naturalSnake(lower) : lower
    let near = candidates[first...].prefix { $0.hash == hash }
    let candidate =
      near.first { candidate in
        candidate.name == name || candidate.snake == words || candidate.natural == words
      }
      ?? (text.contains { $0 == "-" || $0 == " " }
        ? nil : near.first { [letters = MemberAliases.letters(text)] in $0.letters == letters })
    return candidate.map { firstEntry + $0.number } ?? -1
  }

  /// Small letters without separators: the form that all spellings of a name share.
  static func letters(_ name: String) -> String {
    name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
  }

  /// Whether the key stands for a name.
  func contains(_ key: String) -> Bool {
    var key = key
    return key.withUTF8 { find(UnsafeRawBufferPointer($0)) } >= 0
  }

  /// Hash of the key in small letters without separators; nil when it has letters beyond ASCII.
  private static func fold(_ key: UnsafeRawBufferPointer) -> Int? {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key {
      if byte >= 0x80 { return nil }
      if byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ") {
        continue
      }
      let isCapital = byte &- UInt8(ascii: "A") < 26
      hash = (hash ^ UInt64(isCapital ? byte | 0x20 : byte)) &* 0x100_0000_01b3
    }
    return Int(truncatingIfNeeded: hash)
  }
}

extension [SpelledName] {
  /// Adds a name; of one that is there already in another spelling it fills more.
  mutating func add(_ name: SpelledName) {
    let letters = MemberAliases.letters(name.name)
    if let known = firstIndex(where: { MemberAliases.letters($0.name) == letters }) {
      self[known].targets += name.targets.filter { !self[known].targets.contains($0) }
    } else {
      append(name)
    }
  }
}
