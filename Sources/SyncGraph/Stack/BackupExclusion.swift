// Whether files take part in backups is a property of files on Apple systems only.
import Foundation

/// Leaves stores in the standard folder out of backups: synced data can be synced again.
enum BackupExclusion {
  /// Does nothing where there is no such thing, and when it cannot be said: then it is backed up.
  static func exclude(_ url: URL) {
    #if canImport(Darwin)
      var url = url
      var values = URLResourceValues()
      values.isExcludedFromBackup = true
      try? url.setResourceValues(values)
    #endif
  }
}
