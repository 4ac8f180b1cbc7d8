import Foundation
public import SyncCore

/// A row of the answer to `DataStack.rows(_:_:)`.
///
/// ```swift
/// for row in try stack.rows("SELECT name, age FROM User ORDER BY age") {
///   print(try row.value("name", as: String?.self) ?? "–", try row.value("age", as: Int.self))
/// }
/// ```
public struct SQLRow: Sendable, Hashable {
  /// The names of the columns, in order: those that the statement gives by `AS`, else those of the
  /// table.
  public let columns: [String]

  /// The values in the order of the columns, as the file stores them: whole numbers, doubles, text,
  /// data or null. A date is a double, a boolean 0 or 1, a decimal text: `value(_:as:)` makes
  /// them of it.
  public let values: [Value]

  /// The stored value of the column of that name, the first one when several have it; nil when none
  /// has.
  public subscript(column: String) -> Value? {
    columns.firstIndex(of: column).map { values[$0] }
  }

  /// The stored value of the column at that place, counted from 0.
  ///
  /// - Precondition: The statement has so many columns.
  public subscript(column: Int) -> Value { values[column] }

  /// The value of a column as a Swift type: a date of the seconds since 2001 that the file holds, a
  /// decimal, UUID or URL of its text, a boolean of 0 or 1, a number of a number that it can hold.
  ///
  /// - Parameters:
  ///   - column: The name of the column.
  ///   - type: The type. Where the column may be null, an optional one, as in `Date?.self`.
  /// - Throws: `StoreError` with the code `invalidQuery` when there is no column of that name, or
  ///   its value is none of the type.
  public func value<Result: ValueConvertible>(
    _ column: String, as type: Result.Type = Result.self
  ) throws -> Result {
    guard let index = columns.firstIndex(of: column) else {
      throw StoreError(
        .invalidQuery,
        message: "The answer has no column “\(column)”, only "
          + columns.map { "“\($0)”" }.joined(separator: ", ") + ".")
    }
    return try value(index, as: type)
  }

  /// The value of the column at a place, counted from 0, as a Swift type.
  ///
  /// - Precondition: The statement has so many columns.
  /// - Throws: `StoreError` with the code `invalidQuery` when the value is none of the type.
  public func value<Result: ValueConvertible>(
    _ column: Int, as type: Result.Type = Result.self
  ) throws -> Result {
    let stored = values[column].read(as: Result.attributeType)
    guard let result = Result.converted(from: stored) else {
      throw StoreError(
        .invalidQuery,
        message: "“\(stored.excerpt)” in the column “\(columns[column])” is no value of type "
          + "\(Result.self). Ask for another type"
          + (stored.isNull ? ", as an optional." : ", or for the value as it is stored."))
    }
    return result
  }
}

extension SQLRow: CustomStringConvertible {
  /// The columns with their values on one line.
  public var description: String {
    zip(columns, values).map { "\($0): \($1)" }.joined(separator: ", ")
  }
}

extension Value {
  /// A value as the file holds it, in the kind in which attributes of a type keep it; the value
  /// itself when it is none of the type.
  fileprivate func read(as type: AttributeType) -> Value {
    switch (self, type) {
    case (.double(let seconds), .date):
      .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.int(let seconds), .date):
      .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.string(let text), .decimal), (.string(let text), .uuid), (.string(let text), .uri):
      Value(storedText: text, as: type)
    case (.data(let bytes), .transformable): Value(storedBytes: bytes, as: type)
    default: type.coerced(self) ?? self
    }
  }
}
