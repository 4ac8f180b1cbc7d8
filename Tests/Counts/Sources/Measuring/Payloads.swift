public import Foundation
public import TestPayloads

/// The payloads of one size in a folder, written once and read by every process that measures.
public struct Payloads: Sendable {
  public let folder: URL
  public let set: DataSet
  public let count: Int

  public init(folder: URL, set: DataSet, count: Int) {
    self.folder = folder
    self.set = set
    self.count = count
  }

  /// The file of a payload.
  public func url(_ name: String) -> URL {
    folder.appending(path: "\(set.rawValue)-\(count)-\(name).json")
  }

  /// The file of a database that holds the base, by contender.
  public func database(_ contender: String) -> URL {
    folder.appending(path: "\(set.rawValue)-\(count)-\(contender).sqlite")
  }

  /// Writes the payloads that are not there yet.
  public func write(_ variants: [UserPayload.Variant] = UserPayload.Variant.allCases) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for variant in variants {
      try write(variant.rawValue) {
        switch set {
        case .users: UserPayload(count: count).json(variant)
        case .documents: DocumentPayload(count: count).json(variant)
        case .books: BookPayload(count: count).json(variant)
        }
      }
    }
    guard set == .documents else { return }
    try write("tags") { DocumentPayload(count: count).tags() }
    try write("people") { DocumentPayload(count: count).people() }
  }

  private func write(_ name: String, _ bytes: () -> [UInt8]) throws {
    let url = url(name)
    guard !FileManager.default.fileExists(atPath: url.path) else { return }
    try Data(bytes()).write(to: url, options: .atomic)
  }

  /// A payload in memory that is never freed.
  public func load(_ name: String) throws -> UnsafeRawBufferPointer {
    let handle = try FileHandle(forReadingFrom: url(name))
    let size = Int(try handle.seekToEnd())
    try handle.seek(toOffset: 0)
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    var offset = 0
    while offset < size, let part = try handle.read(upToCount: 1 << 20), !part.isEmpty {
      part.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
      offset += part.count
    }
    return UnsafeRawBufferPointer(bytes)
  }

  /// The report that a sync of the variant over the base has to give.
  public func outcome(_ variant: UserPayload.Variant) -> Counts {
    let outcome =
      switch set {
      case .users: UserPayload(count: count).outcome(variant)
      case .documents: DocumentPayload(count: count).outcome(variant)
      case .books: BookPayload(count: count).outcome(variant)
      }
    return Counts(inserted: outcome.inserted, updated: outcome.updated, deleted: outcome.deleted)
  }
}
