import CSyncStackSQLite
import Foundation
import SyncCore

/// Names of what every connection adds to SQL.
package enum SQLFunction {
  /// Collation of decimal columns: numeric order of canonical text.
  package static let decimalCollation = "syncstack_decimal"
}

extension Connection {
  /// Makes our collation and functions known to the connection.
  func registerTextFunctions() {
    sqlite3_create_collation_v2(
      handle, SQLFunction.decimalCollation, SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        Int32(
          DecimalText.compare(
            UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
            UnsafeRawBufferPointer(start: right, count: Int(rightCount))))
      }, nil)
    registerFilterFunctions()
    registerConversionFunction()
  }
}
