// The helpers speak in models and values, so a test that imports them has those.
@_exported public import SyncCore

// Models in a line for each entity:
//
// | text | meaning |
// |---|---|
// | `User: id, name` | the entity and its properties |
// | `abstract Vehicle < Thing was Machine: id` | abstract, its superentity, its former name |
// | `name`, `age integer32` | an attribute; `id` is an `integer64` and any other one a `string` unless the type is said |
// | `company -> Company.users` | a to-one relationship and its inverse, which may be missing |
// | `notes ->> Note.user` | a to-many relationship |
// | `key` `required` `transient` `ordered` `cascade` `deny` `noAction` `nullify` | as the draft's arguments of those names |
// | `from full_name`, `was title` | the key in JSON, the former name |
// | `sync.stub=YES` | an annotation, of a property or (in front of the colon) of an entity |
//
// A longer declaration stands on several lines of a multi-line string. A word that means nothing
// stops the test.

extension EntityDraft: ExpressibleByStringInterpolation {
  public init(stringLiteral line: String) {
    let halves = line.split(separator: ":", maxSplits: 1)
    var words = DraftWords(halves[0])
    let isAbstract = words.take("abstract")
    self.init(
      words.next(), superentity: words.take(after: "<"), isAbstract: isAbstract,
      userInfo: words.takeAnnotations(), renamingIdentifier: words.take(after: "was"))
    words.end()
    if halves.count > 1 {
      properties = halves[1].split(separator: ",").map { PropertyDraft(stringLiteral: String($0)) }
    }
  }
}

extension PropertyDraft: ExpressibleByStringInterpolation {
  public init(stringLiteral text: String) {
    var words = DraftWords(text[...])
    let name = words.next()
    let annotations = words.takeAnnotations()
    let (remoteKey, formerName) = (words.take(after: "from"), words.take(after: "was"))
    let isRequired = words.take("required")
    if let (isToMany, destination, inverse) = words.takeArrow() {
      let rule = DeleteRule.allCases.first { words.take("\($0)") } ?? .nullify
      self =
        isToMany
        ? .toMany(
          name, to: destination, inverse: inverse, isOrdered: words.take("ordered"),
          deleteRule: rule, isOptional: !isRequired, remoteKey: remoteKey, userInfo: annotations,
          renamingIdentifier: formerName)
        : .toOne(
          name, to: destination, inverse: inverse, deleteRule: rule, isOptional: !isRequired,
          remoteKey: remoteKey, userInfo: annotations, renamingIdentifier: formerName)
    } else {
      let type = AttributeType.allCases.first { words.take("\($0)") }
      self = .attribute(
        name, type ?? (name == "id" ? .integer64 : .string), isOptional: !isRequired,
        isPrimaryKey: words.take("key"), remoteKey: remoteKey, isTransient: words.take("transient"),
        userInfo: annotations, renamingIdentifier: formerName)
    }
    words.end()
  }
}

/// The words of a declaration that have not been understood yet.
private struct DraftWords {
  private let text: Substring
  private var words: [Substring]

  init(_ text: Substring) {
    self.text = text
    words = text.split(whereSeparator: \.isWhitespace)
  }

  mutating func next() -> String {
    precondition(!words.isEmpty, "“\(text)” has no name")
    return String(words.removeFirst())
  }

  mutating func take(_ word: String) -> Bool {
    guard let place = words.firstIndex(of: word[...]) else { return false }
    words.remove(at: place)
    return true
  }

  mutating func take(after word: String) -> String? {
    guard let place = words.firstIndex(of: word[...]), place + 1 < words.count else { return nil }
    words.remove(at: place)
    return String(words.remove(at: place))
  }

  mutating func takeAnnotations() -> [String: String] {
    let pairs = words.filter { $0.contains("=") }.map { $0.split(separator: "=").map(String.init) }
    words.removeAll { $0.contains("=") }
    return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
  }

  mutating func takeArrow() -> (isToMany: Bool, destination: String, inverse: String?)? {
    let isToMany = words.contains("->>")
    guard let end = take(after: isToMany ? "->>" : "->") else { return nil }
    let names = end.split(separator: ".").map(String.init)
    return (isToMany, names[0], names.count > 1 ? names[1] : nil)
  }

  func end() {
    precondition(words.isEmpty, "“\(text)” says “\(words.joined(separator: " "))”")
  }
}
