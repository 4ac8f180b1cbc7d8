import Foundation

extension FileManager {
  /// Whether something at a path cannot even be looked at, so that none can say whether it is there:
  /// this user may not enter a folder on the way.
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
