/// Guesses the meaning of a misspelled word.
package enum Spelling {
  /// The candidate nearest to the word, in any capitals; nil when none is near.
  package static func nearest(to word: String, in candidates: [String]) -> String? {
    let letters = Array(word.lowercased())
    let ranked = candidates.map { ($0, distance(letters, Array($0.lowercased()))) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
    return best.1 <= max(1, (word.count + 1) / 3) ? best.0 : nil
  }

  /// How many characters have to be put in, left out or replaced.
  ///
  /// - Complexity: O(*m* · *n*).
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let replaced = diagonal + (character == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
      }
    }
    return row[right.count]
  }
}
