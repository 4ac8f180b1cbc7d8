import SyncStack

/// The option that names the form of documents.
enum DocumentOption {
  static let option = CommandSyntax.Option(
    "--format", value: "json-api",
    "what the documents are: json-api takes those of a JSON:API, with all that is included")

  /// - Throws: ``UsageError`` for a form that is none, or together with a path.
  static func form(_ arguments: Arguments) throws(UsageError) -> DocumentForm? {
    let form: DocumentForm? = try arguments.choice("--format")
    if form != nil, arguments.has("--at") {
      throw arguments.error(
        "--format and --at exclude each other: the list of a JSON:API is its data.")
    }
    return form
  }
}

/// A form of document on top of JSON.
enum DocumentForm: String, CaseIterable {
  case jsonAPI = "json-api"
}

extension SyncPayload {
  /// The payload as a document of a form; nil is plain JSON.
  func form(_ form: DocumentForm?) -> SyncPayload {
    switch form {
    case .jsonAPI: .jsonAPI(self)
    case nil: self
    }
  }
}
