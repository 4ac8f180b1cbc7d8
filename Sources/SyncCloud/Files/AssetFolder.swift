import Foundation
import SyncCore

/// The folder beside a store in which the files are that its objects name, and files on their way.
///
/// ```
/// <hash>-<size>.jpg     a whole file
/// part-<hash>-<size>    the chunks of one that have arrived
/// sent-<hash>           how many chunks of one the server has: `<generation of the zone> <count>`
/// looked                its date says when it was last looked for files on the server that no record refers to
/// ```
struct AssetFolder: Sendable {
  let url: URL

  /// - Parameter store: The file of the store; nil for one in memory, which has a folder of its own
  ///   for each engine.
  init(_ store: URL?) {
    url =
      store.map { URL(filePath: $0.standardizedFileURL.path + ".assets") }
      ?? FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).assets")
  }

  func location(_ name: String) -> URL { url.appending(path: name) }

  func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: location(name).path)
  }

  /// Runs a body that works on files; makes the folder before.
  ///
  /// - Throws: ``CloudError`` with the code `file`.
  func working<T>(_ body: () throws -> T) throws(CloudError) -> T {
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      return try body()
    } catch {
      if let error = error as? CloudError { throw error }
      throw CloudError(.file, message: "A file in \(url.path) cannot be read or written: \(error).")
    }
  }

  // MARK: - Whole files

  /// Takes a file that a closure makes at the place it is given.
  ///
  /// - Returns: Its name.
  func add(_ pathExtension: String, _ make: (URL) throws -> Void) throws(CloudError) -> String {
    try working {
      let fresh = location("new-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: fresh) }
      try make(fresh)
      let name = try Self.asset(at: fresh).fileName(pathExtension)
      try place(fresh, as: name)
      return name
    }
  }

  /// Gives a file its name; one that is there already stays.
  func place(_ file: URL, as name: String) throws(CloudError) {
    try working {
      if has(name) {
        try FileManager.default.removeItem(at: file)
      } else {
        try FileManager.default.moveItem(at: file, to: location(name))
      }
    }
    touch(name)
  }

  /// Notes that a file was used.
  func touch(_ name: String) {
    try? FileManager.default.setAttributes(
      [.modificationDate: Date()], ofItemAtPath: location(name).path)
  }

  func remove(_ name: String) {
    try? FileManager.default.removeItem(at: location(name))
  }

  /// The files of the folder: names, sizes, and when they were last used.
  func content() -> [(name: String, size: Int64, used: Date)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return names.compactMap { name in
      guard let values = try? FileManager.default.attributesOfItem(atPath: location(name).path),
        let size = values[.size] as? NSNumber, let used = values[.modificationDate] as? Date
      else { return nil }
      return (name, size.int64Value, used)
    }
  }

  /// Reads a file piece by piece.
  static func asset(at file: URL) throws -> CloudAsset {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    var hash = SHA256()
    var size: Int64 = 0
    while let piece = try handle.read(upToCount: 1 << 18), !piece.isEmpty {
      piece.withUnsafeBytes { hash.update($0) }
      size += Int64(piece.count)
    }
    guard let asset = CloudAsset(hash: hash.finish(), size: size) else {
      throw CloudError(.file, message: "\(file.path) is too large.")
    }
    return asset
  }

  // MARK: - Files on their way

  /// How many chunks of a file the server is known to have. A note that was cut short says fewer,
  /// and those are sent again.
  func sentChunks(of asset: CloudAsset, to generation: String) -> Int {
    let text = try? String(contentsOf: location("sent-\(asset.hash)"), encoding: .utf8)
    let words = text?.split(separator: " ") ?? []
    guard words.count == 2, words[0] == generation else { return 0 }
    return Int(words[1]) ?? 0
  }

  /// - Parameter count: nil forgets it.
  func setSentChunks(
    _ count: Int?, of asset: CloudAsset, to generation: String
  ) throws(CloudError) {
    let name = "sent-\(asset.hash)"
    guard let count else { return remove(name) }
    try working {
      // Not atomic: that makes a second file, which stays when the program is killed.
      try Data("\(generation) \(count)".utf8).write(to: location(name))
    }
  }

  /// Whether it is a week since this was last true. The first time is a week after the first
  /// question.
  func isTimeToLook() throws(CloudError) -> Bool {
    try working {
      let file = location("looked")
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
      let last = attributes?[.modificationDate] as? Date
      if let last, abs(last.timeIntervalSinceNow) < 7 * 86_400 { return false }
      try Data().write(to: file)
      return last != nil
    }
  }

  /// Opens the part of a file that has arrived, cut to whole chunks.
  ///
  /// - Returns: The file, at whose end it goes on, and how many bytes there are.
  func openPart(
    of asset: CloudAsset, chunk: Int64
  ) throws(CloudError) -> (handle: FileHandle, size: Int64) {
    try working {
      let part = part(of: asset)
      if !FileManager.default.fileExists(atPath: part.path) { try Data().write(to: part) }
      let handle = try FileHandle(forUpdating: part)
      var size = Int64(try handle.seekToEnd())
      size = size >= asset.size ? asset.size : size / chunk * chunk
      try handle.truncate(atOffset: UInt64(size))
      try handle.seek(toOffset: UInt64(size))
      return (handle, size)
    }
  }

  func part(of asset: CloudAsset) -> URL { location("part-\(asset.fileName())") }
}

/// Where the bytes of a file are that is sent.
enum AssetSource: Sendable {
  case data(Data)
  case file(URL)

  /// The bytes of a chunk.
  func bytes(at offset: Int64, count: Int) throws(CloudError) -> Data {
    do {
      let data: Data
      switch self {
      case .data(let all): data = all.dropFirst(Int(offset)).prefix(count)
      case .file(let file):
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        data = try handle.read(upToCount: count) ?? Data()
      }
      if data.count == count { return data }
    } catch {
      throw CloudError(.file, message: "A file that is sent cannot be read: \(error).")
    }
    throw CloudError(.file, message: "A file that is sent became shorter.")
  }
}
