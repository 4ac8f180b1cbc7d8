public import SyncCore
public import SyncGraph

extension ManagedObject {
  /// The object and what it leads to as JSON, unsaved values included.
  ///
  /// Keys and values are those that a sync reads: importing the result changes nothing. Keys stand in a
  /// fixed order: attributes, relationships to one, relationships to many, each in model order. What an
  /// attribute or a relationship with the user info `sync.nonExportable` holds is left out, and so are
  /// values of transformable attributes whose transformer has no way back; that there is no value needs none,
  /// and is exported as null.
  ///
  /// - Returns: A JSON object.
  /// - Throws: ``ExportError`` when a transformer refuses a value.
  public final func export(using options: ExportOptions = ExportOptions()) throws -> JSONValue {
    let plans = managedObjectContext?.exportPlans ?? MappingPlanCache(transformers: .shared)
    var exporter = Exporter(ExportPlan(options: options, plans: plans), ObjectSource())
    return try exporter.export(self)
  }

  /// What ``export(using:)`` gives, as a dictionary; `NSNull` stands for attributes without value, and
  /// binary values are `Data` when the options ask for ``ExportOptions/BinaryFormat/bytes``.
  public final func exportDictionary(
    using options: ExportOptions = ExportOptions()
  ) throws -> [String: Any] {
    let json = try export(using: options)
    guard options.binaryFormat == .bytes else {
      return json.objectValue?.foundationDictionary ?? [:]
    }
    return json.valueWithBytes as? [String: Any] ?? [:]
  }
}

extension JSONValue {
  /// What ``foundationValue`` gives, with bytes as `Data`.
  fileprivate var valueWithBytes: Any {
    if let data = BinaryText.bytes(in: self) { return data }
    switch self {
    case .array(let elements): return elements.map(\.valueWithBytes)
    case .object(let object):
      var result: [String: Any] = [:]
      for member in object { result[member.key] = member.value.valueWithBytes }
      return result
    default: return foundationValue
    }
  }
}

extension ManagedObjectContext {
  /// The mapping plans of the stack.
  var exportPlans: MappingPlanCache {
    mappingPlans
  }
}
