import Foundation
import SyncCore
import Testing

@Suite struct ModelDocumentTests {
  private func inFolder(_ files: [String: String], _ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "ModelDocument-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, text) in files {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    try body(folder)
  }

  private func xml(_ entity: String) -> String { "<model><entity name=\"\(entity)\"/></model>" }

  private func pointer(_ version: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>_XCCurrentVersionName</key>
    \t<string>\(version)</string>
    </dict>
    </plist>
    """
  }

  @Test func theCurrentVersionCounts() throws {
    try inFolder([
      "D.xcdatamodeld/.xccurrentversion": pointer("D 2.xcdatamodel"),
      "D.xcdatamodeld/D.xcdatamodel/contents": xml("One"),
      "D.xcdatamodeld/D 2.xcdatamodel/contents": xml("Two"),
      "D.xcdatamodeld/D 3.xcdatamodel/contents": xml("Three"),
    ]) { folder in
      let url = folder.appendingPathComponent("D.xcdatamodeld")
      let model = try ManagedObjectModel(contentsOf: url)
      #expect(model.entities.map(\.name) == ["Two"])
    }
  }

  @Test(arguments: [
    "D.xcdatamodeld", "D.xcdatamodeld/D.xcdatamodel", "D.xcdatamodeld/D.xcdatamodel/contents",
  ])
  func everyFormOfADocumentCanBeGiven(_ path: String) throws {
    try inFolder(["D.xcdatamodeld/D.xcdatamodel/contents": xml("One")]) { folder in
      let url = folder.appendingPathComponent(path)
      let model = try ManagedObjectModel(contentsOf: url)
      #expect(model.entities.map(\.name) == ["One"])
    }
  }

  @Test func severalVersionsWithoutACurrentOneAreAnErrorThatListsThem() throws {
    try inFolder([
      "D.xcdatamodeld/D.xcdatamodel/contents": xml("One"),
      "D.xcdatamodeld/D 2.xcdatamodel/contents": xml("Two"),
    ]) { folder in
      let error = #expect(throws: ModelError.self) {
        try ManagedObjectModel(contentsOf: folder.appendingPathComponent("D.xcdatamodeld"))
      }
      #expect(error?.code == .documentNotFound)
      #expect(error?.message.contains("D 2.xcdatamodel, D.xcdatamodel") == true)
    }
  }

  @Test(arguments: [
    ("E.xcdatamodel", ModelError.Code.documentNotFound, "“E.xcdatamodel”"),
    ("../D.xcdatamodel", .documentNotFound, "“../D.xcdatamodel”"),
    ("</string", .malformedDocument, ".xccurrentversion, line 6"),
  ])
  func aCurrentVersionThatIsNotThereIsAnError(
    _ name: String, _ code: ModelError.Code, _ message: String
  ) throws {
    try inFolder([
      "D.xcdatamodeld/.xccurrentversion": pointer(name),
      "D.xcdatamodeld/D.xcdatamodel/contents": xml("One"),
    ]) { folder in
      let error = #expect(throws: ModelError.self) {
        try ManagedObjectModel(contentsOf: folder.appendingPathComponent("D.xcdatamodeld"))
      }
      #expect(error?.code == code)
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
  }

  @Test(arguments: ["<plist/>", "<plist><dict/></plist>", "<x/>"])
  func aPointerThatNamesNoVersionIsAnError(_ text: String) throws {
    try inFolder([
      "D.xcdatamodeld/.xccurrentversion": text,
      "D.xcdatamodeld/D.xcdatamodel/contents": xml("One"),
    ]) { folder in
      #expect {
        try ManagedObjectModel(contentsOf: folder.appendingPathComponent("D.xcdatamodeld"))
      } throws: { ($0 as? ModelError)?.code == .malformedDocument }
    }
  }

  @Test func missingDocumentsAreErrorsThatSayWhatIsMissing() throws {
    try inFolder(["E.xcdatamodeld/x": "", "F.xcdatamodel/layout": "", "G.momd/H.mom": ""]) {
      folder in
      for (path, code, message) in [
        ("D.xcdatamodeld", ModelError.Code.documentNotFound, "There is no model at"),
        ("E.xcdatamodeld", .documentNotFound, "no version"),
        ("F.xcdatamodel", .documentNotFound, "F.xcdatamodel/contents"),
        ("G.momd", .unsupported, "compiled"), ("G.momd/H.mom", .unsupported, "compiled"),
      ] {
        let error = #expect(throws: ModelError.self) {
          try ManagedObjectModel(contentsOf: folder.appendingPathComponent(path))
        }
        #expect(error?.code == code)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
      }
    }
  }

  @Test func errorsNameTheDocumentAndThePlace() throws {
    try inFolder(["D.xcdatamodeld/D.xcdatamodel/contents": "<model>\n  <entity></model>"]) {
      folder in
      let error = #expect(throws: ModelError.self) {
        try ManagedObjectModel(contentsOf: folder.appendingPathComponent("D.xcdatamodeld"))
      }
      #expect(
        error?.message.hasPrefix("D.xcdatamodeld/D.xcdatamodel/contents, line 2, column 11: ")
          == true, "\(error?.message ?? "")")
    }
  }
}
