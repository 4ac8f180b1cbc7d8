import Foundation

extension FileManager {
  /// Whether the file at a path cannot even be looked at, and may or may not be there: this user
  /// may not enter a folder on the way.
  package func isForbidden(_ path: String) -> Bool {
    do {
      _ = try attributesOfItem(atPath: path)
      return false
    } catch let error as CocoaError {
      return error.code == .fileReadNoPermission
    } catch {
      return false
    }
  }
}
