import Foundation
import SyncStack

/// The file of `--mapping`: rules for attributes that the conventions do not fit.
struct MappingFile: Sendable {
  static let option = CommandSyntax.Option(
    "--mapping", value: "FILE",
    "rules for attributes that the conventions do not fit, as in "
      + "{\"User\": {\"joinedAt\": {\"unixTime\": \"meta.joined\"}}}")

  private let url: URL

  /// Nil when the option was not given.
  init?(_ arguments: Arguments) {
    guard let file = arguments["--mapping"] else { return nil }
    url = URL(filePath: file)
  }

  /// The rules of the file.
  ///
  /// - Throws: ``ToolError`` that names the file when there is none, or a rule does not fit the
  ///   model.
  func rules(of model: ManagedObjectModel) throws -> RuleRegistry {
    let rules = RuleRegistry()
    try add(to: model) { try rules.add($0, of: model) }
    return rules
  }

  /// Writes the rules of the file for a stack.
  func apply(to stack: DataStack) throws {
    try add(to: stack.model) { try stack.addMapping($0) }
  }

  private func add(to model: ManagedObjectModel, _ add: (JSONValue) throws -> Void) throws {
    let data = try InputFile.data(url.path)
    do {
      try add(JSONValue(parsing: data))
    } catch {
      throw ToolError("The mapping \(url.relativePath) does not fit: \(error)")
    }
  }
}
