public import Foundation
public import SyncGraph

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Export and filling by the names that they have in older frameworks. Unless said otherwise,
/// relationships are written in the nested form and dates in whole seconds in the zone of the
/// process. Binary values are `Data`: the bytes as they are stored, which `JSONValue(canonical:)`
/// reads.
///
/// For new programs ``export(using:)`` is shorter, and importing its value changes nothing.
extension ManagedObject {
  /// The object and the objects that it leads to.
  ///
  /// - Parameters:
  ///   - dateFormatter: The formatter of dates; nil is whole seconds.
  ///   - inflectionType: How names become keys.
  ///   - relationshipType: How relationships are written.
  public final func hyp_dictionary(
    with dateFormatter: DateFormatter? = nil,
    using inflectionType: ExportOptions.InflectionType = .snakeCase,
    andRelationshipType relationshipType: ExportOptions.RelationshipType = .nested
  ) throws -> [String: Any] {
    try exportDictionary(
      using: ExportOptions(
        inflectionType: inflectionType, relationshipType: relationshipType,
        dateFormat: dateFormatter.map { .formatter($0) } ?? .wholeSeconds(), binaryFormat: .bytes))
  }

  /// The object and the objects that it leads to, in snake case, with relationships in a form.
  public final func hyp_dictionary(
    with dateFormatter: DateFormatter? = nil,
    using relationshipType: ExportOptions.RelationshipType
  ) throws -> [String: Any] {
    try hyp_dictionary(
      with: dateFormatter, using: .snakeCase, andRelationshipType: relationshipType)
  }

  /// Sets attributes from a JSON object: the former name of ``fill(with:)``.
  @discardableResult
  public final func hyp_fill(with dictionary: [String: Any]) throws -> [SyncReport.Finding] {
    try fill(with: dictionary)
  }
}
