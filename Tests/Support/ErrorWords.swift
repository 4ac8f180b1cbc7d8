extension Error {
  /// Whether the type, the code and the sentence of the error have all the words.
  package func says(_ words: String...) -> Bool { says(words) }

  /// Whether the type, the code and the sentence of the error have all the words.
  package func says(_ words: [String]) -> Bool {
    let code = Mirror(reflecting: self).descendant("code").map { "\($0)" } ?? ""
    let text = "\(type(of: self)) \(code) \(self)"
    return words.allSatisfy { text.contains($0) }
  }
}
