public import Observation
import Synchronization

/// Lets `withObservationTracking`, `Observations` and SwiftUI follow the objects of a context of
/// the main queue.
///
/// One registrar serves all objects of the context; an object and a slot are observed, as the
/// argument of a key path. Making such a key path takes some microseconds, so it is made only while
/// an observer keeps track. The registrar does not say whether there is one. But it puts the key
/// paths of values that were read into a set when there is one, and hashes them for that: a key
/// path whose argument notes that it was hashed tells. That look is all the cost of an object
/// without observers: 7 ns for each value read, on the main queue, and nothing elsewhere.
///
/// Confined to the queue of its context, but for ``Probe``.
final class ObjectObservation: Observable {
  /// The argument of the key path that tells. Forgotten trackings are taken out on any thread,
  /// which hashes it too.
  struct Probe: Hashable {
    final class Flag: Sendable {
      let isRaised = Atomic<Bool>(false)
    }

    let flag: Flag

    static func == (left: Probe, right: Probe) -> Bool { left.flag === right.flag }

    func hash(into hasher: inout Hasher) { flag.isRaised.store(true, ordering: .relaxed) }
  }

  /// A value of an object.
  struct Place: Hashable {
    let object: ObjectIdentifier
    let slot: Int
  }

  private let registrar = ObservationRegistrar()
  private let flag = Probe.Flag()
  private let probe: KeyPath<ObjectObservation, Void>

  init() {
    probe = \ObjectObservation.[Probe(flag: flag)]
  }

  // Named by key paths, never called.
  subscript(probe: Probe) -> Void { () }
  subscript(place: Place) -> Void { () }

  /// Notes that a value was read.
  func noteRead(_ object: ManagedObject, _ slot: Int) {
    flag.isRaised.store(false, ordering: .relaxed)
    registrar.access(self, keyPath: probe)
    guard flag.isRaised.load(ordering: .relaxed) else { return }
    object.flags.insert(.observed)
    registrar.access(self, keyPath: path(object, slot))
  }

  /// Tells observers of a value that it changes.
  func noteChange(_ object: ManagedObject, _ slot: Int) {
    let path = path(object, slot)
    registrar.willSet(self, keyPath: path)
    registrar.didSet(self, keyPath: path)
  }

  private func path(_ object: ManagedObject, _ slot: Int) -> KeyPath<ObjectObservation, Void> {
    \ObjectObservation.[Place(object: ObjectIdentifier(object), slot: slot)]
  }
}

/// Objects of contexts of the main queue can be observed, property by property: by SwiftUI, by
/// `Observations { }` and by `withObservationTracking`. Changes by the program are told, and those
/// of other commits once the context has merged them. State such as ``isDeleted`` is not; when an
/// object is deleted, all of its properties change.
extension ManagedObject: Observable {
  /// Notes that a value is read.
  @inline(__always)
  final func noteRead(_ slot: Int) {
    if let observation = home.observation { observation.noteRead(self, slot) }
  }

  /// Tells observers of a value that it changes.
  @inline(__always)
  final func tellObservers(_ slot: Int) {
    if flags.contains(.observed) { home.observation?.noteChange(self, slot) }
  }

  /// Tells observers that values in slots change.
  final func tellObservers(_ slots: some Sequence<Int>) {
    guard flags.contains(.observed) else { return }
    for slot in slots { tellObservers(slot) }
  }

  /// Tells observers that any value may change.
  final func tellObserversOfAll() {
    tellObservers(home.shape.names.indices)
  }
}
