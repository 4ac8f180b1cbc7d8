import Foundation
import SyncCore

/// The row numbers of one record of the history: one as it is, several as bytes.
///
/// ```
/// several: first row, then the distance of each to the one before it, 7 bits a byte, low bits first;
///          the top bit says that more of the number follows
/// ```
///
/// A file of an earlier version has a record for each object, which reads the same way.
struct HistoryRows {
  /// Ascending.
  let rows: [Int64]

  init(_ rows: some Collection<Int64>) {
    self.rows = Array(rows)
  }

  /// Reads a stored form.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged`` when it is none of rows.
  init(stored: Value, of transaction: Int64) throws {
    let isWhole: Bool
    switch stored {
    case .int(let row): (rows, isWhole) = ([row], true)
    case .data(let data):
      var rows: [Int64] = []
      var last: Int64 = 0
      var number: UInt64 = 0
      var shift: UInt64 = 0
      for byte in data {
        number |= UInt64(byte & 0x7f) << shift
        shift += 7
        guard byte < 0x80 else { continue }
        last &+= Int64(truncatingIfNeeded: number)
        rows.append(last)
        (number, shift) = (0, 0)
      }
      (self.rows, isWhole) = (rows, shift == 0)
    default: (rows, isWhole) = ([], false)
    }
    guard isWhole, rows.allSatisfy(RowNumber.isValid) else {
      throw StoreError.damaged(
        "_syncstack_history_changes", "transaction \(transaction)",
        "object_row holds no row numbers")
    }
  }

  var stored: Value {
    if rows.count == 1 { return .int(rows[0]) }
    var data = Data(capacity: rows.count * 2)
    var last: Int64 = 0
    for row in rows {
      var number = UInt64(bitPattern: row &- last)
      while number >= 0x80 {
        data.append(UInt8(truncatingIfNeeded: number) | 0x80)
        number >>= 7
      }
      data.append(UInt8(number))
      last = row
    }
    return .data(data)
  }
}
