import Foundation
public import SyncCore

/// A wrapper that declares an attribute: ``Attribute`` or ``PrimaryKey``.
public protocol AttributeProperty<Wrapped> {
  associatedtype Wrapped: ValueConvertible
}

/// A wrapper that declares a to-many relationship: ``ToMany`` or ``OrderedToMany``.
public protocol ToManyProperty<Destination> {
  associatedtype Destination: ManagedObject
}

extension Attribute: AttributeProperty {}
extension PrimaryKey: AttributeProperty {}
extension ToMany: ToManyProperty {}
extension OrderedToMany: ToManyProperty {}

/// Names of properties by key paths to the wrappers' projected values, such as `\User.$age`.
///
/// A key path does not know the name of its property. It is carried out on an object that belongs
/// nowhere; the wrapper that is found there knows its position in the class, and the class the
/// names.
package enum PropertyNames {
  private static let lock = NSLock()

  /// Guarded by the lock. Has an entry for each key path that the program spells out.
  nonisolated(unsafe) private static var known: [AnyKeyPath: String] = [:]

  /// The name of the property.
  ///
  /// - Precondition: The key path leads to a wrapper of the class itself.
  package static func name<Object: ManagedObject, Property>(of path: KeyPath<Object, Property>)
    -> String
  {
    if let name = lock.withLock({ known[path] }) { return name }
    guard let object = ObjectClassRegistry.prototype(of: Object.self).prototype as? Object,
      let wrapper = object[keyPath: path] as? any PropertyWrapper,
      let name = ObjectClassRegistry.name(of: wrapper, in: Object.self)
    else {
      programmingError(
        "\(path) is no wrapped property of \(Object.self). Write \\\(Object.self).$name.")
    }
    lock.withLock { known[path] = name }
    return name
  }
}
