// Files that are packed with gzip, as servers keep their exports. Only where the system has zlib,
// which the tool links beside SQLite; elsewhere the message about packed input says which program
// unpacks it.
import Foundation
import SyncStack

#if canImport(CSyncStackZlib)
  import CSyncStackZlib
#endif

/// A file that is packed with gzip, as pieces of its content. It may be read again and again.
struct GzipFile: AsyncSequence, Sendable {
  typealias Element = Data

  private let url: URL

  /// Nil when the file is not packed, or nothing here can unpack it.
  init?(_ url: URL) {
    #if canImport(CSyncStackZlib)
      guard let handle = try? FileHandle(forReadingFrom: url) else { return nil }
      defer { try? handle.close() }
      guard (try? handle.read(upToCount: 2)) == Data([0x1F, 0x8B]) else { return nil }
      self.url = url
    #else
      return nil
    #endif
  }

  /// All that is inside.
  func data() throws -> Data {
    var result = Data()
    var pieces = makeAsyncIterator()
    while let piece = try pieces.piece() { result.append(piece) }
    return result
  }

  func makeAsyncIterator() -> Iterator { Iterator(url: url) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let url: URL
    #if canImport(CSyncStackZlib)
      fileprivate var reader: GzipReader?
    #endif

    mutating func next() async throws -> Data? { try piece() }

    fileprivate mutating func piece() throws -> Data? {
      #if canImport(CSyncStackZlib)
        let reader = try self.reader ?? GzipReader(url)
        self.reader = reader
        return try reader.next()
      #else
        return nil
      #endif
    }
  }
}

#if canImport(CSyncStackZlib)
  /// Reads a packed file from its beginning to its end. Confined to its iterator.
  private final class GzipReader {
    private static let pieceSize = 1 << 18

    private let handle: FileHandle
    private let name: String
    /// At one place for all its life: zlib keeps its address.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private var input = Data()
    private var isInside = true

    init(_ url: URL) throws {
      stream.initialize(to: z_stream())
      name = url.lastPathComponent
      handle = try FileHandle(forReadingFrom: url)
      guard syncstack_gzip_begin(stream) == Z_OK else {
        throw ToolError("“\(name)” cannot be unpacked: there is no memory for it.")
      }
    }

    deinit {
      inflateEnd(stream)
      stream.deallocate()
      try? handle.close()
    }

    /// The next piece; nil at the end.
    func next() throws -> Data? {
      while true {
        if input.isEmpty {
          input = try handle.read(upToCount: GzipReader.pieceSize) ?? Data()
          if input.isEmpty {
            guard !isInside else { throw damaged("it ends too early") }
            return nil
          }
        }
        // Tapes and some servers fill the last block of a file up with zeros.
        if !isInside { input = Data(input.drop { $0 == 0 }) }
        if input.isEmpty { continue }
        let piece = try unpack()
        if !piece.isEmpty { return piece }
      }
    }

    private func unpack() throws -> Data {
      var output = Data(count: GzipReader.pieceSize)
      var code = Z_OK
      let (used, made) = input.withUnsafeMutableBytes { input in
        output.withUnsafeMutableBytes { output in
          let bytes = UInt8.self
          stream.pointee.next_in = input.bindMemory(to: bytes).baseAddress
          stream.pointee.avail_in = uInt(input.count)
          stream.pointee.next_out = output.bindMemory(to: bytes).baseAddress
          stream.pointee.avail_out = uInt(output.count)
          code = inflate(stream, Z_NO_FLUSH)
          return (
            input.count - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out)
          )
        }
      }
      guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
        throw damaged("its bytes contradict each other")
      }
      input = Data(input.dropFirst(used))
      isInside = code != Z_STREAM_END
      // A file may be several packed ones, one behind the other.
      if !isInside { inflateReset(stream) }
      return output.prefix(made)
    }

    private func damaged(_ why: String) -> ToolError {
      ToolError("“\(name)” cannot be unpacked: \(why). Fetch it again.")
    }
  }
#endif
