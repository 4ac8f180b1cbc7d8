package import Foundation

/// A state as bytes: JSON that says what there is, and behind it the large pieces as they are, so that they
/// are neither turned into text nor read in one go.
///
/// ```
/// number of pieces │ size of the JSON │ size of each piece │ JSON │ piece │ piece │ …
/// ```
///
/// Types that may be large put their bytes into the pieces of a coder that has some, and their number into
/// the JSON. Protected by its lock; used by one coder at a time.
package final class KeptPieces: Sendable {
  private let pieces: Locked<[Data]>
  private let checkpoint: @Sendable () throws -> Void

  private init(_ pieces: [Data], checkpoint: @escaping @Sendable () throws -> Void) {
    self.pieces = Locked(pieces)
    self.checkpoint = checkpoint
  }

  private static let key = CodingUserInfoKey(rawValue: "SyncStack.pieces")

  private static func of(_ userInfo: [CodingUserInfoKey: Any]) -> KeptPieces? {
    key.flatMap { userInfo[$0] as? KeptPieces }
  }

  // MARK: - Whole states

  /// Encodes a state.
  ///
  /// - Parameter checkpoint: Called before each piece; stops the work by throwing.
  package static func encode(
    _ state: some Encodable, checkpoint: @escaping @Sendable () throws -> Void
  ) throws -> Data {
    let kept = KeptPieces([], checkpoint: checkpoint)
    let encoder = JSONEncoder()
    if let key { encoder.userInfo[key] = kept }
    let json = try encoder.encode(state)
    let pieces = kept.pieces.withLock { $0 }
    let sizes = [pieces.count, json.count] + pieces.map(\.count)
    var result = Data(capacity: sizes.count * 8 + json.count + pieces.reduce(0) { $0 + $1.count })
    for size in sizes {
      withUnsafeBytes(of: UInt64(size).littleEndian) { result.append(contentsOf: $0) }
    }
    result.append(json)
    for piece in pieces {
      try checkpoint()
      result.append(piece)
    }
    return result
  }

  /// Decodes a state.
  ///
  /// - Parameter checkpoint: Called before each piece; stops the work by throwing.
  /// - Throws: What the checkpoint throws; `DecodingError` for other bytes.
  package static func decode<State: Decodable>(
    _ type: State.Type, from data: Data, checkpoint: @escaping @Sendable () throws -> Void
  ) throws -> State {
    let (sizes, jsonSize, start) = try header(of: data)
    var rest = data.dropFirst(start)
    func take(_ count: Int) throws -> Data {
      guard count <= rest.count else { throw KeptPieces.cutOff }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    let json = try take(jsonSize)
    let kept = KeptPieces(try sizes.map(take), checkpoint: checkpoint)
    let decoder = JSONDecoder()
    if let key { decoder.userInfo[key] = kept }
    return try decoder.decode(type, from: json)
  }

  /// Sizes of the pieces of an encoded state, and of its JSON.
  ///
  /// - Throws: `DecodingError` for other bytes.
  package static func sizes(of data: Data) throws -> (pieces: [Int], json: Int) {
    let (sizes, json, _) = try header(of: data)
    return (sizes, json)
  }

  private static func header(
    of data: Data
  ) throws -> (sizes: [Int], jsonSize: Int, start: Int) {
    try data.withUnsafeBytes { bytes in
      func size(_ index: Int) throws -> Int {
        guard (index + 1) * 8 <= bytes.count else { throw KeptPieces.cutOff }
        let number = bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        guard let size = Int(exactly: UInt64(littleEndian: number)), size <= bytes.count else {
          throw KeptPieces.cutOff
        }
        return size
      }
      let (count, jsonSize) = (try size(0), try size(1))
      return (try (0..<count).map { try size($0 + 2) }, jsonSize, (count + 2) * 8)
    }
  }

  private static var cutOff: DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "The kept state is cut off."))
  }

  // MARK: - Pieces

  /// Encodes bytes: as a piece where the coder has pieces, else as text.
  package static func encode(_ data: Data, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    guard let kept = of(encoder.userInfo) else { return try container.encode(data) }
    try kept.checkpoint()
    let number = kept.pieces.withLock { pieces in
      pieces.append(data)
      return pieces.count - 1
    }
    try container.encode(number)
  }

  /// Decodes what ``encode(_:to:)`` encoded.
  package static func decode(from decoder: any Decoder) throws -> Data {
    let container = try decoder.singleValueContainer()
    guard let kept = of(decoder.userInfo) else { return try container.decode(Data.self) }
    try kept.checkpoint()
    let number = try container.decode(Int.self)
    let piece = kept.pieces.withLock { $0.indices.contains(number) ? $0[number] : nil }
    guard let piece else { throw KeptPieces.cutOff }
    return piece
  }
}

/// Bytes that are kept as a piece of their own.
package struct KeptPiece: Codable, Sendable {
  package let data: Data

  package init(_ data: Data) {
    self.data = data
  }

  package init(from decoder: any Decoder) throws {
    data = try KeptPieces.decode(from: decoder)
  }

  package func encode(to encoder: any Encoder) throws {
    try KeptPieces.encode(data, to: encoder)
  }
}
