import Foundation
import SyncCore

/// Tells the property wrappers of an object their ordinals while the object is being made.
///
/// A wrapper does not know its name: it learns its position among the wrappers of its object when it
/// is initialised, and the class knows the names by position (``ClassWrappers``). Stored properties
/// are initialised in the order of their declaration, a subclass before its superclass, so the
/// positions are the same for every object of a class.
enum WrapperConstruction {
  /// Guards the two variables below. Recursive, because the initial value of a subclass's own
  /// property may make other objects.
  private static let lock = NSRecursiveLock()
  nonisolated(unsafe) private static var next: UInt16 = 0
  nonisolated(unsafe) private static var recorder: WrapperRecorder?

  /// Makes an object of a class.
  static func make<Object: ManagedObject>(_ type: Object.Type, _ seed: ObjectSeed) -> Object {
    guard type != ManagedObject.self else { return type.init(seed) }
    return locked(recorder: nil) { type.init(seed) }
  }

  /// Makes an object that belongs nowhere and notes what its wrappers declare.
  static func record(_ type: ManagedObject.Type, _ seed: ObjectSeed) -> (
    prototype: ManagedObject, declarations: [WrapperDeclaration]
  ) {
    let recorder = WrapperRecorder()
    let prototype = locked(recorder: recorder) { type.init(seed) }
    return (prototype, recorder.declarations)
  }

  /// Gives a wrapper its ordinal. Called by the initialisers of wrappers only.
  static func ordinal(declaring declaration: () -> WrapperDeclaration) -> UInt16 {
    defer { next &+= 1 }
    recorder?.declarations.append(declaration())
    return next
  }

  private static func locked<Object>(
    recorder inner: WrapperRecorder?, _ body: () -> Object
  ) -> Object {
    lock.lock()
    let outer = (next, recorder)
    (next, recorder) = (0, inner)
    defer {
      (next, recorder) = outer
      lock.unlock()
    }
    return body()
  }
}

/// Collects what the wrappers of a prototype declare, by ordinal.
private final class WrapperRecorder {
  var declarations: [WrapperDeclaration] = []
}

/// What one wrapper says about its property; the name is found afterwards.
struct WrapperDeclaration: Sendable {
  enum Content: Sendable {
    case attribute(AttributeDraft)
    case relationship(RelationshipDraft)
  }

  var content: Content
  var isUnique = false

  /// The type of an attribute.
  var type: DeclaredType?
}

/// Any of the property wrappers.
protocol PropertyWrapper {
  var ordinal: UInt16 { get }
}
