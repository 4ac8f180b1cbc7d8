import SyncCloud
import SyncStack

/// Messages of the library as the command line says them: options stand in the place of
/// parameters, and advice that only programmers can follow is left out.
enum ToolMessage {
  /// The option that says where a list lies.
  static let listOption = "--at"

  private static let advice = [
    SyncError.listAdvice, SyncError.deletionAdvice, StoreError.busyAdvice,
    StoreError.migrationAdvice, CloudError.zoneAdvice,
  ]

  static func text(_ message: String) -> String {
    advice.reduce(message) { $0.replacing(" " + $1, with: "") }
      .replacing(/at: "(.+?)" takes/) { "\(listOption) \(ListPlaces.word(String($0.1))) takes" }
  }
}
