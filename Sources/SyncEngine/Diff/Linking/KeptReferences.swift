import Foundation
import SyncCore

/// References whose object has not come, kept as bytes: a page may have a hundred thousand of them.
struct KeptReferences: Codable, Sendable {
  private(set) var references: [Reference] = []

  struct Reference {
    var owner: Int64
    var ownerEntity: Int
    var slot: Int
    var destination: Int
    var isNested: Bool
    var isRefused: Bool
    var key: Value
    var ownerKey: String
  }

  init(_ unresolved: [UnresolvedReference], _ control: SyncControl) throws {
    references.reserveCapacity(unresolved.count)
    for (step, reference) in unresolved.enumerated() {
      if step % SyncControl.stride == 0 { try control.checkpoint() }
      references.append(
        Reference(
          owner: reference.owner.row, ownerEntity: reference.owner.entity.index,
          slot: reference.relationship.slot, destination: reference.destination.index,
          isNested: reference.isNested, isRefused: reference.isRefused, key: reference.key,
          ownerKey: reference.ownerKey))
    }
  }

  // MARK: - Bytes

  /// References of a piece, before each of which a cancelled sync stops.
  private static let pieceCount = 4_096

  private struct Piece: Codable {
    /// Owner, its entity, slot, destination, and whether the object is nested (1) and was refused (2).
    var numbers: PackedIntegers
    /// Sizes of the texts, key and owner's key in turn.
    var sizes: PackedIntegers
    var texts: KeptPiece
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for start in stride(from: 0, to: references.count, by: KeptReferences.pieceCount) {
      let end = min(start + KeptReferences.pieceCount, references.count)
      try container.encode(KeptReferences.piece(references[start..<end]))
    }
  }

  private static func piece(_ references: ArraySlice<Reference>) -> Piece {
    var numbers: [Int64] = []
    var sizes: [Int64] = []
    var texts = Data()
    for reference in references {
      numbers += [
        reference.owner, Int64(reference.ownerEntity), Int64(reference.slot),
        Int64(reference.destination), (reference.isNested ? 1 : 0) + (reference.isRefused ? 2 : 0),
      ]
      for text in [reference.key.archive, Data(reference.ownerKey.utf8)] {
        sizes.append(Int64(text.count))
        texts.append(text)
      }
    }
    return Piece(
      numbers: PackedIntegers(numbers), sizes: PackedIntegers(sizes), texts: KeptPiece(texts))
  }

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd {
      let piece = try container.decode(Piece.self)
      let (numbers, sizes) = (piece.numbers.values, piece.sizes.values)
      var texts = piece.texts.data
      func text(_ index: Int) -> Data {
        let size = Int(sizes[index])
        defer { texts = texts.dropFirst(size) }
        return Data(texts.prefix(size))
      }
      guard numbers.count % 5 == 0, sizes.count == numbers.count / 5 * 2,
        sizes.allSatisfy({ $0 >= 0 }), sizes.reduce(0, +) == texts.count
      else { throw damaged(decoder) }
      for index in 0..<numbers.count / 5 {
        guard let key = Value(archive: text(index * 2)) else { throw damaged(decoder) }
        references.append(
          Reference(
            owner: numbers[index * 5], ownerEntity: Int(numbers[index * 5 + 1]),
            slot: Int(numbers[index * 5 + 2]), destination: Int(numbers[index * 5 + 3]),
            isNested: numbers[index * 5 + 4] & 1 != 0, isRefused: numbers[index * 5 + 4] & 2 != 0,
            key: key,
            ownerKey: String(decoding: text(index * 2 + 1), as: UTF8.self)))
      }
    }
  }

  private func damaged(_ decoder: any Decoder) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "The references are damaged."))
  }
}
