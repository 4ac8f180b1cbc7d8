// One file in the place of another, in one step: POSIX calls it rename. Foundation's replaceItemAt
// is no help: on Linux (Swift 6.3) it throws, with nothing left at the target and the old content
// under the name of the new file. Windows cannot rename over a file, so the old one is removed
// first there.
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

extension FileManager {
  #if canImport(WinSDK)
    func moveItem(at source: URL, over target: URL) throws {
      if fileExists(atPath: target.path) { try removeItem(at: target) }
      try moveItem(at: source, to: target)
    }
  #else
    /// Moves a file to a place in the same folder; the file there before is gone at the same
    /// moment.
    func moveItem(at source: URL, over target: URL) throws {
      guard rename(source.path, target.path) == 0 else {
        throw ExportError(
          .cannotWrite,
          message: """
            The file “\(target.path)” cannot be written: \(String(cString: strerror(errno))). Check that \
            it is no folder and that this user may write it.
            """)
      }
    }
  #endif
}
