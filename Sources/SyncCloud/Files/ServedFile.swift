import Foundation
import SyncCore

/// A file as a server has it: chunks, and a manifest that is written last, in two zones of their
/// own, so that no pull brings them.
///
/// ```
/// <zone>-files    <hash>             {"size": 600000, "chunk": 262144}; "unused": time since when no record refers to it
/// <zone>-chunks   <hash>-0 … -2      {"b": base64, "h": SHA-256 of the chunk}
/// ```
///
/// A file that was removed leaves records without content.
struct ServedFile {
  /// The zones of the files of a zone.
  static func zones(of zone: CloudZone) -> [CloudZone] { [manifests(of: zone), chunks(of: zone)] }

  static func manifests(of zone: CloudZone) -> CloudZone {
    CloudZone("\(zone.name)-files", scope: zone.scope, owner: zone.owner)
  }

  static func chunks(of zone: CloudZone) -> CloudZone {
    CloudZone("\(zone.name)-chunks", scope: zone.scope, owner: zone.owner)
  }

  let size: Int64
  let chunk: Int64

  /// When it was first seen that no record refers to it, by the server's clock.
  let unused: Int64?

  /// How many chunks there are.
  var count: Int { Int((size + chunk - 1) / chunk) }

  init(size: Int64, chunk: Int) {
    self.size = size
    self.chunk = Int64(chunk)
    unused = nil
  }

  /// Reads a manifest; nil when there is no whole file of that size.
  init?(_ record: CloudRecord?, of asset: CloudAsset) {
    guard let content = record?.content, let size = content["size"]?.integerValue,
      size == asset.size, let chunk = content["chunk"]?.integerValue,
      (1...1 << 30).contains(chunk)
    else { return nil }
    self.size = size
    self.chunk = chunk
    unused = content["unused"]?.integerValue
  }

  var manifest: JSONObject { ["size": .integer(size), "chunk": .integer(chunk)] }

  /// Where a chunk begins, and how many bytes it has.
  func range(of index: Int) -> (offset: Int64, count: Int) {
    let offset = Int64(index) * chunk
    return (offset, Int(min(chunk, size - offset)))
  }

  static func name(_ asset: CloudAsset, _ index: Int) -> String { "\(asset.hash)-\(index)" }

  static func content(_ bytes: Data) -> JSONObject {
    ["b": .string(bytes.base64EncodedString()), "h": .string(CloudAsset(of: bytes).hash)]
  }

  /// The bytes of a chunk; nil when they do not have their size or their hash.
  static func bytes(_ record: CloudRecord?, count: Int) -> Data? {
    guard let content = record?.content,
      let bytes = content["b"]?.stringValue.flatMap({ Data(base64Encoded: $0) }),
      bytes.count == count, content["h"]?.stringValue == CloudAsset(of: bytes).hash
    else { return nil }
    return bytes
  }
}
