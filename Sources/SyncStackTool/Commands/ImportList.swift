import Foundation
import SyncStack

/// One of the lists that an import stores together.
struct ImportList: Sendable, Equatable {
  let entity: String
  var source: ImportSettings.Source
  var path: String?
  /// Nil is what the name of the file says.
  var form: DocumentForm?
  /// Nil is those of the import.
  var operations: SyncOperations?
  var filter: String?

  /// How a list is given on a command line.
  static let placeholder = "ENTITY=FILE[@PATH]"

  /// Reads `ENTITY=FILE[@PATH]`. Behind the last `@` stands a path, unless there is a file whose
  /// name has it.
  init(_ text: String, _ arguments: Arguments) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw arguments.error("--list takes \(ImportList.placeholder), not “\(text)”.")
    }
    entity = String(parts[0])
    var file = String(parts[1])
    if let at = file.lastIndex(of: "@"), !FileManager.default.fileExists(atPath: file) {
      path = String(file[file.index(after: at)...])
      file = String(file[..<at])
      guard path?.isEmpty == false, !file.isEmpty else {
        throw arguments.error("--list takes \(ImportList.placeholder), not “\(text)”.")
      }
    }
    source = file == "-" ? .standardInput : .file(URL(filePath: file))
  }

  init(entity: String, source: ImportSettings.Source) {
    self.entity = entity
    self.source = source
  }

  /// The list as a sync takes it.
  ///
  /// - Throws: ``ToolError`` when there is no such file.
  func list() throws -> SyncList {
    let page = try ImportPage(source, form: form)
    return .list(
      page.payload, of: entity, at: path.map { JSONPath($0) },
      predicate: filter.map { Filter(format: $0, arguments: []) }, operations: operations)
  }

  /// The file as an error names it.
  var file: String {
    switch source {
    case .standardInput: "-"
    case .file(let url): url.relativePath
    }
  }

  /// Whether its document can be read, as far as it can be read again.
  var isReadable: Bool {
    guard case .file(let url) = source else { return false }
    do {
      let input = try DraftInput(url.path, form: form)
      return try input.items(
        at: path.map { JSONPath($0) } ?? JSONPath(), upTo: nil, keyedBy: nil, nil
      ) { _ in }
    } catch {
      return false
    }
  }
}

/// The file of `--plan`: the lists of an import.
///
/// ```json
/// {"lists": [
///   {"entity": "Team", "file": "teams.csv"},
///   {"entity": "Player", "file": "answer.json", "at": "data.players",
///    "operations": ["insert", "update"], "where": "isActive == true"}
/// ]}
/// ```
struct ImportPlan {
  let lists: [ImportList]

  private static let members = ["entity", "file", "at", "format", "operations", "where"]

  /// - Throws: ``ToolError`` that names the file and the place in it.
  init(_ url: URL) throws {
    let document: JSONValue
    do {
      document = try JSONValue(parsing: InputFile.data(url.path))
    } catch let error as JSONError {
      throw ToolError("The plan \(url.relativePath) is no JSON: \(error)")
    }
    func refused(_ fault: String) -> ToolError {
      ToolError("The plan \(url.relativePath) does not fit: \(fault)")
    }
    guard let plan = document.objectValue, let items = plan["lists"]?.arrayValue, !items.isEmpty
    else { throw refused("it takes {\"lists\": [{\"entity\": …, \"file\": …}]}.") }
    if let other = plan.keys.first(where: { $0 != "lists" }) {
      throw refused("it knows no “\(other)”, only lists.")
    }
    lists = try items.enumerated().map { index, item in
      let place = "lists[\(index)]"
      guard let object = item.objectValue else { throw refused("\(place) is no object.") }
      if let other = object.keys.first(where: { !ImportPlan.members.contains($0) }) {
        throw refused(
          "\(place) knows no “\(other)”, only \(ImportPlan.members.joined(separator: ", ")).")
      }
      func text(_ name: String) throws -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.stringValue, !text.isEmpty else {
          throw refused("\(place).\(name) is no text.")
        }
        return text
      }
      guard let entity = try text("entity"), let file = try text("file") else {
        throw refused("\(place) takes an entity and a file.")
      }
      // Relative to the plan, so that it can be run from anywhere.
      var list = ImportList(
        entity: entity,
        source: file == "-"
          ? .standardInput
          : .file(URL(filePath: file, relativeTo: url.deletingLastPathComponent())))
      list.path = try text("at")
      list.filter = try text("where")
      list.form = try text("format").map { format in
        guard let form = DocumentForm(rawValue: format) else {
          let known = DocumentForm.allCases.map(\.rawValue).joined(separator: ", ")
          throw refused("\(place).format takes one of \(known); “\(format)” is none.")
        }
        return form
      }
      if let form = list.form, list.path != nil {
        throw refused("\(place).format and \(place).at exclude each other: \(form.place).")
      }
      if let value: JSONValue = object["operations"] {
        let words = value.arrayValue?.compactMap(\.stringValue) ?? []
        guard !words.isEmpty, words.count == value.arrayValue?.count else {
          throw refused(
            "\(place).operations takes a list of words, as in [\"insert\", \"update\"].")
        }
        do throws(UnknownWord) {
          list.operations = try SyncOperations(words: words)
        } catch {
          throw refused("\(place).operations does not know \(error.text)")
        }
      }
      return list
    }
    if lists.count(where: { $0.source == .standardInput }) > 1 {
      throw refused("the standard input can be read once.")
    }
  }
}
