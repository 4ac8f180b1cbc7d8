import Foundation
import SyncCore
import Testing

/// The parts of errors that Foundation asks for.
@Suite struct ErrorTextTests {
  @Test(arguments: [
    ("It failed.", "It failed.", nil), ("It failed", "It failed", nil), ("", "", nil),
    ("It failed. Try again. Or not.", "It failed.", "Try again. Or not."),
    ("“A. B” is none. Take “C”.", "“A. B” is none.", "Take “C”."),
    ("No (see x. Y) more. “User” is one.", "No (see x. Y) more.", "“User” is one."),
    ("Version 1.5 of a.b is old. Update.", "Version 1.5 of a.b is old.", "Update."),
  ])
  func theFirstSentenceIsWhatIsWrong(text: String, reason: String, suggestion: String?) {
    #expect(ErrorText(text).reason == reason)
    #expect(ErrorText(text).suggestion == suggestion)
  }

  @Test func foundationShowsWhatErrorsSay() {
    let message = "There is no entity “A” in the model. It has no entities."
    let error: any Error = ModelError.unknownEntity("A", known: [])
    #expect(error.localizedDescription == message)
    let localized = error as? any LocalizedError
    #expect(localized?.failureReason == "There is no entity “A” in the model.")
    #expect(localized?.recoverySuggestion == "It has no entities.")
    #expect(TransformerError("It is none.").localizedDescription == "It is none.")
    #expect(
      (JSONError(.emptyDocument, message: "Empty.") as any Error).localizedDescription
        == "At $: Empty.")
  }
}
