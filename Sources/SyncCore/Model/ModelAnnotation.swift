/// The annotations of mapping in the user info of a model. Each annotation has a current and a
/// legacy key; the current one wins when both are there.
package enum ModelAnnotation: String, Sendable, CaseIterable {
  case isPrimaryKey, remoteKey, nonExportable, valueTransformer

  package var currentKey: String { "sync.\(rawValue)" }
  package var legacyKey: String { "hyper.\(rawValue)" }

  /// Returns the annotation in the user info, or nil when it has none.
  package func value(in userInfo: [String: String]) -> String? {
    userInfo[currentKey] ?? userInfo[legacyKey]
  }

  /// Returns whether the annotation is switched on: its value is exactly `YES` or `true`.
  package func isOn(in userInfo: [String: String]) -> Bool {
    let text = value(in: userInfo)
    return text == "YES" || text == "true"
  }
}
