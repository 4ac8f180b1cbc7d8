import Foundation
import SyncStack

/// A file that a command line names as JSON, looked at before it is read.
struct InputFile {
  let url: URL
  let attributes: [FileAttributeKey: Any]

  /// - Throws: ``ToolError`` when there is no file, or something that can be read only once.
  init(_ url: URL) throws(ToolError) {
    let files = FileManager.default
    let path = url.resolvingSymlinksInPath().path
    guard let attributes = try? files.attributesOfItem(atPath: path) else {
      throw ToolError(
        files.isForbidden(path)
          ? "The file “\(url.path)” cannot be read: this user may not enter its folder."
          : "There is no file “\(url.path)”. Check its path.")
    }
    guard files.isReadableFile(atPath: url.path) else {
      throw ToolError(
        "The file “\(url.path)” cannot be read: this user has no permission. Check its permissions."
      )
    }
    let type = attributes[.type] as? FileAttributeType
    guard type == .typeRegular || type == .typeDirectory else {
      throw ToolError(
        "\(url.path) is a pipe or a device, no file. Give it as the standard input: - < \(url.path)"
      )
    }
    self.url = url
    self.attributes = attributes
  }

  /// The content of the file, unpacked where it is packed. It can be read once.
  var payload: SyncPayload { GzipFile(url).map { .chunks($0) } ?? .file(url) }

  /// The bytes of the file at a path of the command line, or, for `-`, of the standard input.
  static func data(_ path: String) throws -> Data {
    guard path != "-" else { return try FileHandle.standardInput.readToEnd() ?? Data() }
    let file = try InputFile(URL(filePath: path))
    return try GzipFile(file.url)?.data() ?? PayloadFile(file.url).read()
  }
}
