import Foundation
import SyncCore

/// The declarations of one class's wrappers, with the names of the properties.
struct ClassWrappers: Sendable {
  struct Property: Sendable {
    var name: String
    var declaration: WrapperDeclaration

    /// The class that declares the property; a superclass when it is inherited.
    var declaringClass: ObjectIdentifier
  }

  /// By ordinal.
  var properties: [Property]
}

/// The managed object classes of the process: their wrapped properties, and the classes by name.
///
/// Names are found once per class, by looking at the stored properties of one object of it.
enum ObjectClassRegistry {
  private struct State {
    var wrappers: [ObjectIdentifier: ClassWrappers] = [:]
    var types: [String: ManagedObject.Type] = [:]
  }

  private static let state = Locked(State())

  /// The wrapped properties of a class, by ordinal.
  static func wrappers(of type: ManagedObject.Type) -> ClassWrappers {
    if let known = state.withLock({ $0.wrappers[ObjectIdentifier(type)] }) { return known }
    let found = inspect(type)
    state.withLock { $0.wrappers[ObjectIdentifier(type)] = found }
    return found
  }

  /// Makes classes known by their full names, so that models may refer to them.
  static func register(_ types: [ManagedObject.Type]) {
    state.withLock { state in
      for type in types { state.types[String(reflecting: type)] = type }
    }
  }

  /// The class of a name that a model document gives: as it is, or inside a module that is known.
  static func type(named name: String) -> ManagedObject.Type? {
    let name = name.hasPrefix(".") ? String(name.dropFirst()) : name
    let (exact, modules) = state.withLock { state in
      (state.types[name], Set(state.types.keys.compactMap { $0.split(separator: ".").first }))
    }
    if let exact { return exact }
    if let type = runtimeClass(name) { return type }
    guard !name.contains(".") else { return nil }
    // A program whose name is no module name has none, and Foundation complains when it is asked.
    let program = ProcessInfo.processInfo.processName.replacing("-", with: "_")
    let programs = program.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? [program] : []
    for module in modules.map(String.init).sorted() + programs {
      if let type = state.withLock({ $0.types["\(module).\(name)"] }) { return type }
      if let type = runtimeClass("\(module).\(name)") { return type }
    }
    return nil
  }

  /// The class that the runtime knows by a full name. Foundation complains on the standard error
  /// about names with more than one dot, so those are not asked for.
  private static func runtimeClass(_ name: String) -> ManagedObject.Type? {
    guard name.count(where: { $0 == "." }) <= 1 else { return nil }
    return NSClassFromString(name) as? ManagedObject.Type
  }

  /// The name of the property behind a wrapper's projected value, as in `\User.$age`.
  static func name(of wrapper: some PropertyWrapper, in type: ManagedObject.Type) -> String? {
    let properties = wrappers(of: type).properties
    return wrapper.ordinal < properties.count ? properties[Int(wrapper.ordinal)].name : nil
  }

  /// An object of the class that belongs nowhere, and the declarations of its wrappers by ordinal.
  static func prototype(
    of type: ManagedObject.Type
  ) -> (prototype: ManagedObject, declarations: [WrapperDeclaration]) {
    WrapperConstruction.record(
      type, ObjectSeed(home: ObjectHome(prototypeBinding, in: nil), row: 0))
  }

  private static func inspect(_ type: ManagedObject.Type) -> ClassWrappers {
    let (object, declarations) = prototype(of: type)
    var properties = [ClassWrappers.Property?](repeating: nil, count: declarations.count)
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror, let level = current.subjectType as? ManagedObject.Type,
      level != ManagedObject.self
    {
      for child in current.children {
        guard let wrapper = child.value as? any PropertyWrapper, let label = child.label,
          Int(wrapper.ordinal) < declarations.count
        else { continue }
        // The compiler stores the wrapper of `name` as `_name`.
        properties[Int(wrapper.ordinal)] = ClassWrappers.Property(
          name: label.hasPrefix("_") ? String(label.dropFirst()) : label,
          declaration: declarations[Int(wrapper.ordinal)],
          declaringClass: ObjectIdentifier(level))
      }
      mirror = current.superclassMirror
    }
    return ClassWrappers(properties: properties.compactMap { $0 })
  }

  /// Prototypes are of an entity of their own, which no store has.
  private static let prototypeModel = ManagedObjectModel(
    validated: [EntityRecord(name: "Prototype")])
  private static let prototypeBinding = ClassBinding(
    type: ManagedObject.self,
    shape: EntityShape(EntityDescription(model: prototypeModel, index: 0)), slots: [],
    isNamed: false)
}
