import Foundation
import SyncStore
import TestSupport
import Testing

@Suite struct KeptModelTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func aStoreTellsItsModel() throws {
    try withFolder { folder in
      let url = folder.appending(path: "kept.sqlite")
      for model in [try TestModels.social(), try ManagedObjectModel(annotated)] {
        let url = url.appendingPathExtension("\(model.entities.count)")
        try Store(model: model, configuration: .init(.file(url))).close()
        #expect(try Store.keptModel(at: url).storageDescription == model.storageDescription)
      }
    }
  }

  @Test func anAnnotationThatChangesNothingInTheTablesIsKeptToo() throws {
    try withFolder { folder in
      let url = folder.appending(path: "kept.sqlite")
      var entities = annotated
      for key in ["first", "second"] {
        entities[0].userInfo["note"] = key
        try Store(model: ManagedObjectModel(entities), configuration: .init(.file(url))).close()
        let kept = try Store.keptModel(at: url)
        #expect(kept.entity(named: "User")?.userInfo["note"] == key)
      }
    }
  }

  @Test func whatIsNoStoreSaysSo() throws {
    try withFolder { folder in
      let missing = folder.appending(path: "missing.sqlite")
      let absent = #expect(throws: StoreError.self) { try Store.keptModel(at: missing) }
      #expect(absent?.code == .cannotOpen)
      #expect(!FileManager.default.fileExists(atPath: missing.path))
      let text = folder.appending(path: "text.sqlite")
      try Data("this is no database, only text".utf8).write(to: text)
      let other = #expect(throws: StoreError.self) { try Store.keptModel(at: text) }
      #expect(other?.code == .notADatabase)
      let empty = folder.appending(path: "empty.sqlite")
      try Data().write(to: empty)
      #expect { try Store.keptModel(at: empty) } throws: { ($0 as? StoreError)?.code == .notAStore }
    }
  }

  private var annotated: [EntityDraft] {
    ["User note=none: code key from user_code"]
  }
}
