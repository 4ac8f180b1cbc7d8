import SyncStack

/// A word of a list of operations that is none.
struct UnknownWord: Error {
  /// The word and those that are known, as the end of a sentence.
  let text: String
}

extension SyncOperations {
  /// The words for operations.
  static let words: [(name: String, operations: SyncOperations)] = [
    ("insert", .insert), ("update", .update), ("delete", .delete),
    ("insertRelationships", .insertRelationships), ("updateRelationships", .updateRelationships),
    ("deleteRelationships", .deleteRelationships),
    ("relationships", [.insertRelationships, .updateRelationships, .deleteRelationships]),
    ("alwaysInsert", .alwaysInsert), ("all", .all),
  ]

  /// The operations that words stand for.
  init(words: [String]) throws(UnknownWord) {
    self = []
    for word in words {
      guard let known = SyncOperations.words.first(where: { $0.name == word }) else {
        let names = SyncOperations.words.map(\.name).joined(separator: ", ")
        throw UnknownWord(text: "“\(word)”, only \(names).")
      }
      formUnion(known.operations)
    }
  }
}
