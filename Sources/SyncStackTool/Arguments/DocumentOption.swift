import Foundation
import SyncStack

/// The option that names the form of documents.
enum DocumentOption {
  static let option = CommandSyntax.Option(
    "--format", value: "json-api|csv",
    "what the documents are: json-api takes those of a JSON:API, with all that is included; csv takes "
      + "tables with a line of names, as files that end in .csv or .tsv are taken anyway")

  /// - Throws: ``UsageError`` for a form that is none, or together with a path.
  static func form(_ arguments: Arguments) throws(UsageError) -> DocumentForm? {
    let form: DocumentForm? = try arguments.choice("--format")
    if let form, arguments.has("--at") {
      throw arguments.error("--format and --at exclude each other: \(form.place).")
    }
    return form
  }
}

/// A form of document on top of JSON.
enum DocumentForm: String, CaseIterable {
  case jsonAPI = "json-api"
  case csv

  /// The form of a file: the one that was given, else the one that its name says.
  init?(of file: String, given: DocumentForm?) {
    if let given {
      self = given
      return
    }
    var name = URL(filePath: file)
    if name.pathExtension.lowercased() == "gz" { name.deletePathExtension() }
    guard ["csv", "tsv"].contains(name.pathExtension.lowercased()) else { return nil }
    self = .csv
  }

  /// Where the list of such a document is, as a sentence without a full stop.
  var place: String {
    switch self {
    case .jsonAPI: "the list of a JSON:API is its data"
    case .csv: "a table is a list itself"
    }
  }
}

extension SyncPayload {
  /// The payload as a document of a form; nil is plain JSON.
  func form(_ form: DocumentForm?) -> SyncPayload {
    switch form {
    case .jsonAPI: .jsonAPI(self)
    case .csv: .csv(self)
    case nil: self
    }
  }
}
