extension Error {
  /// Whether the type, the code and the sentence of the error have all the words.
  package func says(_ words: String...) -> Bool { says(words) }

  /// Whether the type, the code and the sentence of the error have all the words.
  package func says(_ words: [String]) -> Bool {
    let mirror = Mirror(reflecting: self)
    let code = mirror.descendant("code").map { "\($0)" } ?? ""
    let text = "\(mirror.subjectType) \(code) \(self)"
    return words.allSatisfy { text.contains($0) }
  }
}
