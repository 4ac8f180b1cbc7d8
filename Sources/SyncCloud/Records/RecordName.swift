import Foundation
import SyncCore
import SyncStore

/// Names of records. Once drawn, a name stays with its object, whatever becomes of its key.
enum RecordName {
  /// Draws names for objects that are known by nothing else: UUIDs of version 7 (RFC 9562, 5.7),
  /// each later than the one before. Ascending, because the table of records is sorted by name: an
  /// object's neighbours are its record's.
  struct Source {
    private var last: UInt64

    init(milliseconds: Int64) {
      last = UInt64(clamping: milliseconds)
    }

    mutating func next() -> String {
      last += 1
      var generator = SystemRandomNumberGenerator()
      let high = (last & 0xffff_ffff_ffff) << 16 | 0x7000 | generator.next() & 0x0fff
      let low = generator.next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
      return String(unsafeUninitializedCapacity: 36) { bytes in
        var place = 0
        for index in 0..<32 {
          if [8, 12, 16, 20].contains(index) {
            bytes[place] = UInt8(ascii: "-")
            place += 1
          }
          bytes[place] = digit((index < 16 ? high : low) >> UInt64(60 - index % 16 * 4))
          place += 1
        }
        return place
      }
    }
  }

  /// The name that every machine gives to an object of those values; nil when one of them is empty,
  /// or when the primary key is the model's default for objects that have none yet. The entity is
  /// the object's own: where parent and subentities count their keys each for itself, a key is not
  /// of one object.
  static func identity(
    of entity: EntityDescription, _ slots: [Int], _ value: (_ slot: Int) -> Value
  ) -> String? {
    if let key = entity.primaryKey, slots == [key.slot], !key.defaultValue.isNull,
      value(key.slot) == key.storedDefault
    {
      return nil
    }
    var text = entity.wireName
    for slot in slots {
      let value = value(slot)
      guard let type = entity.properties[slot].attribute?.type, !value.isNull else { return nil }
      text += "\u{0}" + FieldCoding.encode(value, as: type).description
    }
    return hash(text)
  }

  /// 32 digits, the same everywhere: FNV-1a of 128 bits
  /// (http://www.isthe.com/chongo/tech/comp/fnv/).
  static func hash(_ text: String) -> String {
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    for byte in text.utf8 {
      hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
    }
    return String(unsafeUninitializedCapacity: 32) { [hash] bytes in
      for index in 0..<32 {
        bytes[index] = digit(UInt64(truncatingIfNeeded: hash >> (124 - index * 4)))
      }
      return 32
    }
  }

  /// The hexadecimal digit of the last four bits.
  private static func digit(_ number: UInt64) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: number) & 15
    return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
