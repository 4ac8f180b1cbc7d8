import TestSupport
import Testing

/// Expects an error that says the words: its type, its code, and parts of its sentence.
func expectError(
  _ words: String..., sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> some Any
) {
  #expect(sourceLocation: sourceLocation) {
    _ = try body()
  } throws: {
    $0.says(words)
  }
}

func expectError(
  _ words: String..., sourceLocation: SourceLocation = #_sourceLocation,
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> some Any
) async {
  await #expect(sourceLocation: sourceLocation) {
    _ = try await body()
  } throws: {
    $0.says(words)
  }
}
