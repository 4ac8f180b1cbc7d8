import SyncCloud
import SyncStack

/// Messages of the library as the command line says them: options stand in the place of
/// parameters, and advice that only programmers can follow is left out.
enum ToolMessage {
  /// The option that says where a list lies.
  static let listOption = "--at"

  /// Advice of the library, and the sentence of the command line in its place; nil is none.
  private static let advice: [(library: String, tool: String?)] = [
    (SyncError.listAdvice, nil), (SyncError.deletionAdvice, nil), (SyncError.undoAdvice, nil),
    (JSONError.depthAdvice, nil), (StoreError.busyAdvice, nil), (StoreError.readOnlyAdvice, nil),
    (StoreError.migrationAdvice, nil), (CloudError.zoneAdvice, nil),
    (StoreError.historyAdvice, "'syncstack history --start --values' keeps one from now on."),
    (StoreError.valuesAdvice, "'syncstack history --start --values' keeps them from now on."),
  ]

  static func text(_ message: String) -> String {
    advice.reduce(message) { $0.replacing(" " + $1.library, with: $1.tool.map { " " + $0 } ?? "") }
      .replacing(/at: "(.+?)" takes/) { "\(listOption) \(ListPlaces.word(String($0.1))) takes" }
  }
}
