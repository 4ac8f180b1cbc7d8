import Foundation
import SyncGraph
import TestSupport
import Testing

/// The three ways to make the model.
enum ModelSource: String, CaseIterable, Sendable {
  case document, classes, drafts

  func model() throws -> ManagedObjectModel {
    Setup.registerTransformers()
    return switch self {
    case .document: try ManagedObjectModel(xml: Data(Library.document.utf8))
    case .classes: try ManagedObjectModel(classes: Library.classes)
    case .drafts: try ManagedObjectModel(Library.drafts)
    }
  }
}

/// A way to make the model, and the classes of its objects.
struct Setup: Sendable, CustomTestStringConvertible {
  enum Objects: String, CaseIterable, Sendable {
    /// Classes with wrappers for all entities.
    case wrappers
    /// Plain objects with string keys; wrappers where the model brings its classes.
    case keys
    /// Computed properties for some entities, wrappers for others, plain objects for the rest.
    case mixed
  }

  let source: ModelSource
  let objects: Objects

  var testDescription: String { "\(source.rawValue), \(objects.rawValue)" }

  static let all = ModelSource.allCases.flatMap { source in
    Objects.allCases.map { Setup(source: source, objects: $0) }
  }

  /// Registers the transformers that `@Transformable` and the documents name.
  static func registerTransformers() {
    TransformerRegistry.shared.register([Int].self, named: "Library.Numbers")
  }

  func stack(_ kind: StoreKind = .memory, in folder: TemporaryFolder? = nil) throws -> DataStack {
    let model = try source.model()
    let location: DataStack.Location = folder.map { .sqlite($0.file()) } ?? .inMemory
    return switch objects {
    case .wrappers: try DataStack(model: model, store: location, classes: Library.classes)
    case .keys: try DataStack(model: model, store: location)
    case .mixed:
      try DataStack(
        model: model, store: location,
        classes: Library.handwritten + [Library.Loan.self, Library.Label.self])
    }
  }
}

extension ManagedObjectContext {
  /// A new object with values by key.
  @discardableResult
  func make(_ entity: String, _ values: [String: Any?] = [:]) throws -> ManagedObject {
    let object = try insert(entityNamed: entity)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  /// The object of a key.
  func get(_ entity: String, _ id: Int64) throws -> ManagedObject {
    try #require(try fetch(Fetch<ManagedObject>(entityNamed: entity, "id == %@", id)).first)
  }

  func all(_ entity: String, _ format: String = "TRUEPREDICATE", sortedBy key: String? = nil)
    throws -> [ManagedObject]
  {
    var request = Fetch<ManagedObject>(entityNamed: entity, Filter(format))
    if let key { request = request.sorted(by: SortKey(key)) }
    return try fetch(request)
  }
}
