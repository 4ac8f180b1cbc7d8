public import Foundation
public import SyncGraph

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Export by the names that it has in older frameworks. Unless said otherwise, relationships are written
/// in the nested form and dates in whole seconds in the zone of the process. Binary values are `Data`: the
/// bytes as they are stored, which `JSONValue(canonical:)` reads.
///
/// For new programs ``export(using:)`` is shorter, and importing what it gives changes nothing.
extension ManagedObject {
  /// The object and what it leads to, in snake case.
  public final func hyp_dictionary() throws -> [String: Any] {
    try olderDictionary(nil)
  }

  /// The object and what it leads to, with keys in an inflection.
  public final func hyp_dictionary(
    using inflectionType: ExportOptions.InflectionType
  ) throws -> [String: Any] {
    try olderDictionary(nil, inflectionType)
  }

  /// The object and what it leads to, with relationships in a form.
  public final func hyp_dictionary(
    using relationshipType: ExportOptions.RelationshipType
  ) throws -> [String: Any] {
    try olderDictionary(nil, relationshipType: relationshipType)
  }

  /// The object and what it leads to, with keys in an inflection and relationships in a form.
  public final func hyp_dictionary(
    using inflectionType: ExportOptions.InflectionType,
    andRelationshipType relationshipType: ExportOptions.RelationshipType
  ) throws -> [String: Any] {
    try olderDictionary(nil, inflectionType, relationshipType: relationshipType)
  }

  /// The object and what it leads to, with dates as a formatter writes them.
  public final func hyp_dictionary(with dateFormatter: DateFormatter) throws -> [String: Any] {
    try olderDictionary(dateFormatter)
  }

  /// The object and what it leads to, with dates as a formatter writes them and keys in an inflection.
  public final func hyp_dictionary(
    with dateFormatter: DateFormatter, using inflectionType: ExportOptions.InflectionType
  ) throws -> [String: Any] {
    try olderDictionary(dateFormatter, inflectionType)
  }

  /// The object and what it leads to, with dates as a formatter writes them and relationships in a form.
  public final func hyp_dictionary(
    with dateFormatter: DateFormatter, using relationshipType: ExportOptions.RelationshipType
  ) throws -> [String: Any] {
    try olderDictionary(dateFormatter, relationshipType: relationshipType)
  }

  /// The object and what it leads to, with everything said.
  public final func hyp_dictionary(
    with dateFormatter: DateFormatter, using inflectionType: ExportOptions.InflectionType,
    andRelationshipType relationshipType: ExportOptions.RelationshipType
  ) throws -> [String: Any] {
    try olderDictionary(dateFormatter, inflectionType, relationshipType: relationshipType)
  }

  private final func olderDictionary(
    _ dateFormatter: DateFormatter?,
    _ inflectionType: ExportOptions.InflectionType = .snakeCase,
    relationshipType: ExportOptions.RelationshipType = .nested
  ) throws -> [String: Any] {
    try exportDictionary(
      using: ExportOptions(
        inflectionType: inflectionType, relationshipType: relationshipType,
        dateFormat: dateFormatter.map { .formatter($0) } ?? .wholeSeconds(), binaryFormat: .bytes))
  }
}
