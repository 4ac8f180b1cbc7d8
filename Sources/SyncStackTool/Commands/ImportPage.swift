import Foundation
import SyncStack

/// One of the documents of an import.
struct ImportPage {
  let payload: SyncPayload

  /// The whole path: the same file from another folder is the same page.
  let name: String

  /// The file itself, without the links that lead to it.
  let file: String

  /// Tells another content of the same name.
  private let mark: String

  /// - Parameter form: What the document is; nil is what the name of the file says.
  /// - Throws: ``ToolError`` when there is no such file, or something that can be read only once.
  init(_ source: ImportSettings.Source, form: DocumentForm?) throws {
    switch source {
    case .standardInput:
      payload = .handle(.standardInput).form(form)
      (name, file, mark) = ("-", "-", "")
    case .file(let url):
      let input = try InputFile(url)
      let attributes = input.attributes
      payload = input.payload.form(DocumentForm(of: url.path, given: form))
      name = url.standardizedFileURL.path
      file = url.resolvingSymlinksInPath().path
      let size = attributes[.size] as? Int64 ?? 0
      let date = attributes[.modificationDate] as? Date ?? .distantPast
      mark = "\(size) \(date.timeIntervalSince1970)"
    }
  }

  /// Marks of pages by name.
  static func marks(_ pages: [ImportPage]) -> [String: String] {
    Dictionary(pages.map { ($0.name, $0.mark) }, uniquingKeysWith: { first, _ in first })
  }
}
