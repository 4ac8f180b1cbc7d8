import Foundation

/// Something that can stand for `%@` in a filter and is not a plain value: managed objects are.
package protocol FilterArgument {
  /// The operand in the place of `%@`.
  var filterOperand: FilterOperand { get }
}

/// The operand that an argument of a filter means.
package enum FilterOperand: Sendable {
  case value(Value)
  case object(ManagedObjectID)
  case list([FilterOperand])

  /// Two ends that both belong to it.
  case range(Value, Value)
}

extension ManagedObjectID: FilterArgument {
  package var filterOperand: FilterOperand { .object(self) }
}

extension FilterOperand: FilterArgument {
  package var filterOperand: FilterOperand { self }
}

/// A range stands for all values between its ends: `"age BETWEEN %@", 18...30`.
extension ClosedRange: FilterArgument where Bound: ValueConvertible {
  package var filterOperand: FilterOperand {
    .range(lowerBound.storedValue, upperBound.storedValue)
  }
}

// MARK: - Conversion

extension FilterOperand {
  /// Makes an operand from an argument of any type, or nil when no attribute could hold it.
  init?(argument: Any?) {
    guard let argument else {
      self = .value(.null)
      return
    }
    switch argument {
    case let argument as any FilterArgument:
      self = argument.filterOperand
    // A dictionary is no value to compare with, though an attribute can hold one.
    case is [AnyHashable: Any], is NSDictionary:
      return nil
    case let set as any SetArgument:
      self.init(sequence: set.sortedForStorage)
    case let list as any ListArgument:
      self.init(sequence: list)
    case let value as any ValueConvertible:
      self = .value(value.storedValue)
    case let optional where Mirror(reflecting: optional).displayStyle == .optional:
      self.init(argument: Value.unwrapped(optional))
    case let text as Substring:
      self = .value(.string(String(text)))
    case is NSNull:
      self = .value(.null)
    case let value as any RawRepresentable:
      self.init(argument: value.rawValue)
    case let list as any Sequence:
      self.init(sequence: list)
    default:
      self.init(foundation: argument)
    }
  }

  private init?(sequence: any Sequence) {
    var operands: [FilterOperand] = []
    for element in sequence {
      guard let operand = FilterOperand(argument: element) else { return nil }
      operands.append(operand)
    }
    self = .list(operands)
  }

  /// The reference types of Foundation, which casts bridge. Booleans need no care here: they
  /// compare as 0 and 1.
  private init?(foundation argument: Any) {
    switch argument {
    case let number as NSDecimalNumber:
      self = .value(.decimal(number.decimalValue))
    case let number as NSNumber:
      switch String(cString: number.objCType) {
      case "d", "f": self = .value(.double(number.doubleValue))
      case "Q": self = .value(number.uint64Value.storedValue)
      default: self = .value(.int(number.int64Value))
      }
    case let text as String: self = .value(.string(text))
    case let date as Date: self = .value(.date(date))
    case let data as Data: self = .value(.data(data))
    case let uuid as UUID: self = .value(.uuid(uuid))
    case let url as URL: self = .value(.url(url))
    default: return nil
    }
  }

  /// The operand as part of a tree.
  var expression: FilterExpression {
    switch self {
    case .value(let value): return .value(value)
    case .object(let id): return .object(id)
    case .range(let lower, let upper): return .range(lower, upper)
    case .list(let operands):
      let values = operands.compactMap { if case .value(let value) = $0 { value } else { nil } }
      if values.count == operands.count { return .values(values) }
      let objects = operands.compactMap { if case .object(let id) = $0 { id } else { nil } }
      if objects.count == operands.count { return .objects(objects) }
      return .list(operands.map(\.expression))
    }
  }
}

/// Lists stand for their elements, though an attribute can hold a list as one value.
private protocol ListArgument: Sequence {}

extension Array: ListArgument {}
extension Set: ListArgument {}

/// A set has no order of its own: its elements come in that of an attribute which keeps such a set.
private protocol SetArgument {
  var sortedForStorage: any Sequence { get }
}

extension Set: SetArgument where Element: Codable {
  var sortedForStorage: any Sequence {
    map { (element: $0, bytes: CodableForm.data(of: $0)) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.element)
  }
}
