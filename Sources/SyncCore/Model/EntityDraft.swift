/// An entity as it is declared: a ``ManagedObjectModel`` makes an ``EntityDescription`` of it.
///
/// ```swift
/// EntityDraft("User", [
///   .attribute("id", .integer64, isPrimaryKey: true),
///   .attribute("name", .string),
///   .toMany("notes", to: "Note", inverse: "user", deleteRule: .cascade),
/// ])
/// ```
///
/// Everything refers to everything else by name, so entities may be declared in any order.
public struct EntityDraft: Sendable {
  /// The entity's name, unique in the model.
  package var name: String

  /// Name of the entity whose properties this one inherits.
  package var superentityName: String?

  /// Whether no object of exactly this entity can be made.
  package var isAbstract: Bool

  /// Name of the class that stands for the entity; nil for plain objects.
  package var className: String?

  /// The entity's own properties, without inherited ones.
  package var properties: [PropertyDraft]

  /// Groups of property names whose values together may occur once only.
  package var uniquenessConstraints: [[String]]
  /// Indexes that speed up fetching.
  package var indexes: [FetchIndexDescription]
  /// Annotations, for mapping and for the program's own use.
  package var userInfo: [String: String]

  /// The name of the entity across renamings: its name in an earlier version of the model.
  package var renamingIdentifier: String?

  /// Makes a draft; all but the name may be set later.
  public init(
    _ name: String, _ properties: [PropertyDraft] = [], superentity: String? = nil,
    isAbstract: Bool = false, className: String? = nil, uniquenessConstraints: [[String]] = [],
    indexes: [FetchIndexDescription] = [], userInfo: [String: String] = [:],
    renamingIdentifier: String? = nil
  ) {
    self.name = name
    self.properties = properties
    superentityName = superentity
    self.isAbstract = isAbstract
    self.className = className
    self.uniquenessConstraints = uniquenessConstraints
    self.indexes = indexes
    self.userInfo = userInfo
    self.renamingIdentifier = renamingIdentifier
  }
}
