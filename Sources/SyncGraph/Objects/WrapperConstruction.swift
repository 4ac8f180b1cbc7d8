import Foundation
import SyncCore

/// Tells the property wrappers of an object their ordinals while the object is being made.
///
/// A wrapper does not know its name: it learns its position among the wrappers of its object when
/// it is initialised, and the class knows the names by position (``ClassWrappers``). Stored
/// properties are initialised in the order of their declaration, a subclass before its superclass,
/// so the positions are the same for every object of a class.
@usableFromInline
enum WrapperConstruction {
  /// The wrappers that the object in the making has got so far.
  @usableFromInline
  struct State {
    @usableFromInline var next: UInt16 = 0
    @usableFromInline var isRecorded = false
    fileprivate var recorder: WrapperRecorder?
  }

  /// Guards the state. Recursive, because the initial value of a subclass's own property may make
  /// other objects.
  private static let lock = NSRecursiveLock()

  /// Behind a pointer, because each access of a variable would be checked for overlaps: sixteen
  /// checks for an object with eight wrappers.
  @usableFromInline nonisolated(unsafe) static let state: UnsafeMutablePointer<State> = {
    let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
    state.initialize(to: State())
    return state
  }()

  /// Makes an object of a class.
  static func make<Object: ManagedObject>(_ type: Object.Type, _ seed: ObjectSeed) -> Object {
    guard type != ManagedObject.self else { return type.init(seed) }
    return locked(recorder: nil) { type.init(seed) }
  }

  /// Makes several objects and locks once. Others wait meanwhile, so it should not be too many.
  static func inSeries(_ body: (Series) -> Void) {
    locked(recorder: nil) { body(Series()) }
  }

  /// Makes objects one after the other.
  struct Series {
    fileprivate init() {}

    func make(_ type: ManagedObject.Type, _ seed: ObjectSeed) -> ManagedObject {
      state.pointee.next = 0
      return type.init(seed)
    }
  }

  /// Makes an object that belongs nowhere and notes the declarations of its wrappers.
  static func record(_ type: ManagedObject.Type, _ seed: ObjectSeed) -> (
    prototype: ManagedObject, declarations: [WrapperDeclaration]
  ) {
    let recorder = WrapperRecorder()
    let prototype = locked(recorder: recorder) { type.init(seed) }
    return (prototype, recorder.declarations)
  }

  /// Gives a wrapper its ordinal. Called by the initialisers of wrappers only.
  static func ordinal(declaring declaration: () -> WrapperDeclaration) -> UInt16 {
    if state.pointee.isRecorded { declare(declaration()) }
    return nextOrdinal()
  }

  /// The ordinal of the wrapper that is being made.
  @inlinable
  static func nextOrdinal() -> UInt16 {
    let ordinal = state.pointee.next
    state.pointee.next = ordinal &+ 1
    return ordinal
  }

  /// Whether wrappers have to record their declarations.
  @inlinable
  static var isRecorded: Bool { state.pointee.isRecorded }

  /// Notes the declaration of the wrapper in the making.
  static func declare(_ declaration: WrapperDeclaration) {
    state.pointee.recorder?.declarations.append(declaration)
  }

  private static func locked<Result>(
    recorder inner: WrapperRecorder?, _ body: () -> Result
  ) -> Result {
    let construction = begin(recorder: inner)
    defer { construction.end() }
    return body()
  }

  /// The making of one object, between its beginning and its end on the same thread.
  struct Construction {
    fileprivate let outer: State

    func end() {
      state.pointee = outer
      lock.unlock()
    }
  }

  /// Begins to make an object, for initialisers, which cannot be called from a closure.
  static func begin() -> Construction { begin(recorder: nil) }

  private static func begin(recorder: WrapperRecorder?) -> Construction {
    lock.lock()
    defer { state.pointee = State(next: 0, isRecorded: recorder != nil, recorder: recorder) }
    return Construction(outer: state.pointee)
  }
}

/// Collects the declarations of a prototype's wrappers, by ordinal.
private final class WrapperRecorder {
  var declarations: [WrapperDeclaration] = []
}

/// The declaration of one wrapper about its property; the name is found afterwards.
struct WrapperDeclaration: Sendable {
  var content: PropertyDescription
  var isUnique = false

  /// The type of an attribute.
  var type: DeclaredType?
}

/// Any of the property wrappers.
protocol PropertyWrapper {
  var ordinal: UInt16 { get }
}
