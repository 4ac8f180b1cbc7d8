import Foundation
import SyncCore
import SyncStore

/// Names of records. Once drawn, a name stays with its object, whatever becomes of its key.
enum RecordName {
  static func random() -> String { UUID().uuidString.lowercased() }

  /// The name that every machine gives to an object of those values; nil when one of them is empty.
  static func identity(
    _ values: RowValues, _ slots: [Int], of entity: EntityDescription
  ) -> String? {
    var text = entity.rootEntity.name
    for slot in slots {
      guard let type = entity.properties[slot].attribute?.type, !values[slot].isNull else {
        return nil
      }
      text += "\u{0}" + FieldCoding.encode(values[slot], as: type).description
    }
    return hash(text)
  }

  /// 32 digits, the same everywhere: FNV-1a of 128 bits (http://www.isthe.com/chongo/tech/comp/fnv/).
  static func hash(_ text: String) -> String {
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    for byte in text.utf8 {
      hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - digits.utf8.count) + digits
  }
}
