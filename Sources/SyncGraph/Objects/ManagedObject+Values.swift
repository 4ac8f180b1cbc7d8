public import SyncCore
import SyncStore

// MARK: - By key

extension ManagedObject {
  /// The value of a property: a Swift value for an attribute, an object for a to-one, a
  /// `Set<ManagedObject>` for a to-many, an array for an ordered one; for a transformable attribute
  /// the transformer's object for the stored value.
  ///
  /// Integers and floating-point numbers come as `NSNumber`, so that `as? Int` works as well as
  /// `as? Int64` or `as? Double`. Wrapped properties and ``value(forKey:as:)`` make none and are
  /// faster.
  ///
  /// - Precondition: The entity has a property of that name.
  public final func value(forKey key: String) -> Any? {
    let slot = home.shape.requireSlot(key)
    defer { noteRead(slot) }
    switch home.shape.kinds[slot] {
    case .attribute: return shownValue(value(at: slot), at: slot)
    case .toOne(let ordinal): return destination(ordinal)
    case .toMany(let ordinal):
      let members = members(ordinal)
      return home.shape.relationships[ordinal].isOrdered ? members : Set(members)
    }
  }

  /// The value of an attribute as a Swift type; nil when there is none or it is of another type.
  public final func value<Wrapped: ValueConvertible>(
    forKey key: String, as type: Wrapped.Type
  ) -> Wrapped? {
    Wrapped.converted(from: storedValue(forKey: key))
  }

  /// The value of an attribute in its stored form.
  ///
  /// - Precondition: The entity has an attribute of that name.
  public final func storedValue(forKey key: String) -> Value {
    let slot = home.shape.requireSlot(key)
    guard case .attribute = home.shape.kinds[slot] else {
      programmingError("\(entity.name).\(key) is a relationship. Use value(forKey:).")
    }
    defer { noteRead(slot) }
    return value(at: slot)
  }

  /// Sets the value of a property. Both sides of a relationship change at once.
  ///
  /// - Parameter newValue: for an attribute a value of its type or nil; for a to-one an object or
  ///   nil; for a to-many a set or an array of objects.
  /// - Precondition: The entity has a property of that name, and the value is of its type.
  public final func setValue(_ newValue: Any?, forKey key: String) {
    let slot = home.shape.requireSlot(key)
    switch home.shape.kinds[slot] {
    case .attribute(.transformable):
      setShownValue(newValue, at: slot)
    case .attribute:
      guard var value = Value(anyValue: newValue) else {
        programmingError(
          """
          \(entity.name).\(key) cannot hold a \(newValue.map { "\(type(of: $0))" } ?? "nil"). \
          Set a value of the attribute's type.
          """)
      }
      requireReadable(&value, at: slot)
      setAttribute(slot, value)
    case .toOne(let ordinal):
      setDestination(ordinal, checkedObject(newValue, key: key))
    case .toMany(let ordinal):
      setMembers(ordinal, checkedObjects(newValue, key: key))
    }
  }

  /// The value of a property by name, as in ``value(forKey:)`` and ``setValue(_:forKey:)``.
  public final subscript(key: String) -> Any? {
    get { value(forKey: key) }
    set { setValue(newValue, forKey: key) }
  }

  /// Stops the program when the class declares a type for the attribute that the value is none of.
  private func requireReadable(_ value: inout Value, at slot: Int) {
    guard let declared = binding.declaredTypes[slot],
      case .attribute(let type) = binding.shape.kinds[slot], let coerced = type.coerced(value)
    else { return }
    value = coerced
    guard let refusal = refusal(of: value, at: slot) else { return }
    programmingError(
      """
      \(entity.name).\(binding.shape.names[slot]) cannot hold that: \(refusal). Set a value of type \
      \(declared.name).
      """)
  }

  /// Why the class of the object cannot show a stored value; nil when it can.
  final func refusal(of value: Value, at slot: Int) -> String? {
    guard binding.declaredTypes[slot] != nil else { return nil }
    return binding.refusal(of: value, at: slot, transformers: owner?.transformers ?? .shared)
  }

  private func checkedObject(_ value: Any?, key: String) -> ManagedObject? {
    guard let value = Value.unwrapped(value) else { return nil }
    guard let object = value as? ManagedObject else {
      programmingError("\(entity.name).\(key) is a to-one relationship. Set an object or nil.")
    }
    return object
  }

  private func checkedObjects(_ value: Any?, key: String) -> [ManagedObject] {
    switch Value.unwrapped(value) {
    case nil: return []
    case let objects as [ManagedObject]: return objects
    case let objects as Set<ManagedObject>: return objects.sorted { $0.objectID < $1.objectID }
    default:
      programmingError(
        "\(entity.name).\(key) is a to-many relationship. Set a set or an array of objects.")
    }
  }
}

// MARK: - By slot

extension ManagedObject {
  /// The value of a column or a transient attribute, reading the row first when it is a fault.
  final func value(at slot: Int) -> Value {
    checkAccess()
    if row.isNone { fireFault() }
    return row[slot]
  }

  /// Sets an attribute after checking that the value is of its type.
  final func setAttribute(_ slot: Int, _ value: Value) {
    guard prepareForChange() else { return }
    guard case .attribute(let type) = home.shape.kinds[slot] else {
      programmingError("\(entity.name).\(home.shape.names[slot]) is a relationship.")
    }
    guard let value = type.coerced(value) else {
      programmingError(
        """
        \(entity.name).\(home.shape.names[slot]) is of type \(type.rawValue) and cannot hold \
        “\(value)”. Set a value of that type.
        """)
    }
    require(
      !value.isNoNumber,
      """
      \(entity.name).\(home.shape.names[slot]) cannot hold “\(value)”: a store has no such number, it would \
      come back as nothing. Set a number, or nil.
      """)
    write(slot, value)
  }

  /// Stores a value and notes whether it differs from the row as last read. Equal values change
  /// nothing.
  final func write(_ slot: Int, _ value: Value) {
    if row.isNone { fireFault() }
    guard row[slot] != value else { return }
    tellObservers(slot)
    guard !isInserted else {
      row[slot] = value
      owner?.noteChange(of: self, slot)
      return
    }
    if flags.contains(.awaking), home.shape.transients.contains(slot) {
      // Values derived while values come in are no change.
      row[slot] = value
      if !committed.isNone { committed[slot] = value }
      return
    }
    if committed.isNone { committed = row }
    row[slot] = value
    // An object that is kept for its unsaved values only stays until they are saved or rolled back.
    if committed[slot] == value, !flags.contains(.lost) {
      changed.remove(slot)
      if !hasColumnChanges {
        committed = .none
        owner?.overtaken.forget(self)
      }
    } else {
      changed.insert(slot)
    }
    owner?.noteChange(of: self, slot)
  }

  private var hasColumnChanges: Bool {
    changed.contains {
      if case .toMany = home.shape.kinds[$0] { false } else { true }
    }
  }

  /// The values as last read or saved.
  final var base: RowValues { committed.isNone ? row : committed }

  /// The value of a slot as last read or saved.
  final func committedValue(at slot: Int) -> Value {
    if row.isNone { fireFault() }
    return base[slot]
  }

  /// Stops the program when the object is used on a queue that is not its context's.
  @inline(__always)
  final func checkAccess() {
    guard let queue = home.queue, !queue.isCurrent else { return }
    queue.stop("The object \(self)")
  }

  /// Stops the program when it must not change the object.
  ///
  /// - Returns: false when it was deleted elsewhere, which a program cannot know in time: the
  ///   change is none then, and the log is told.
  final func prepareForChange() -> Bool {
    checkAccess()
    guard owner != nil else {
      programmingError(
        """
        \(self) cannot be changed: its context is gone or was reset. Keep the context, and get the object \
        again with object(with: objectID).
        """)
    }
    if row.isNone {
      fireFault()
      // The deletion could not be known. A save says so.
      if isVanished { owner?.vanished.append(self) }
    }
    guard flags.contains(.gone) else { return true }
    guard isVanished else {
      programmingError("\(self) cannot be changed: it was deleted. Check isDeleted first.")
    }
    report("was changed")
    return false
  }

  /// Tells the log, once, that a program uses an object that was deleted elsewhere.
  final func report(_ use: String) {
    guard flags.insert(.reported).inserted else { return }
    SyncStackLog.note(
      """
      \(identifier) \(use) though it was deleted elsewhere. Nothing came of that. isDeleted says so \
      before.
      """)
  }
}

// MARK: - Changes

extension ManagedObject {
  /// The unsaved values by property name; for a new object all values that it has.
  public final func changedValues() -> [String: Any?] {
    checkAccess()
    var result: [String: Any?] = [:]
    if isInserted {
      for (slot, name) in home.shape.names.enumerated() {
        switch home.shape.kinds[slot] {
        case .attribute, .toOne: if row.isNull(slot) { continue }
        case .toMany(let ordinal): if members(ordinal).isEmpty { continue }
        }
        result[name] = .some(value(forKey: name))
      }
    } else {
      for slot in changed {
        let name = home.shape.names[slot]
        result[name] = .some(value(forKey: name))
      }
    }
    return result
  }

  /// The values as last read or saved, by property name.
  ///
  /// - Parameter keys: names of properties; nil is all.
  /// - Precondition: The entity has properties of those names.
  public final func committedValues(forKeys keys: [String]?) -> [String: Any?] {
    checkAccess()
    if row.isNone { fireFault() }
    var result: [String: Any?] = [:]
    for name in keys ?? home.shape.names {
      let slot = home.shape.requireSlot(name)
      switch home.shape.kinds[slot] {
      case .attribute:
        result[name] = .some(isInserted ? nil : shownValue(committedValue(at: slot), at: slot))
      case .toOne(let ordinal):
        result[name] = .some(committedDestination(ordinal))
      case .toMany(let ordinal):
        let members = committedMembers(ordinal)
        result[name] = .some(
          home.shape.relationships[ordinal].isOrdered ? members as Any : Set(members) as Any)
      }
    }
    return result
  }
}
