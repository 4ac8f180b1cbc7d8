import Foundation
import SyncStack
import TestSupport
import Testing

@testable import SyncCloud

/// Every annotation of CloudCore is honoured, or refused with a reason.
@Suite(.timeLimit(.minutes(5))) struct CloudCoreTests {
  private let server = MemoryTransport()

  /// A model document as it was made for CloudCore; in one place something else is said.
  private static func document(
    of changed: String = "Note", _ property: String? = nil, saying key: String? = nil,
    _ value: String = ""
  ) throws -> ManagedObjectModel {
    var said: [String: [String: String]] = [
      "Note": ["CloudCoreScopes": "private", "CloudCoreParent": "folder"],
      "Folder": ["CloudCoreScopes": "private"], "City": ["CloudCoreScopes": "public"],
      "Draft": ["CloudCoreScopes": ""], "Note.id": ["CloudCoreType": "recordName"],
      "Note.owner": ["CloudCoreType": "ownerName"],
      "Note.mine": ["CloudCoreType": "privateRecordData"],
      "Note.everybodys": ["CloudCoreType": "publicRecordData"],
      "Note.draft": ["CloudCoreMasks": "upload"],
      "Note.cache": ["CloudCoreMasks": "upload,download"],
    ]
    let place = property.map { "\(changed).\($0)" } ?? changed
    if let key { said[place, default: [:]][key] = value }
    func info(_ place: String) -> String {
      let entries = (said[place] ?? [:]).sorted { $0.key < $1.key }
      return "<userInfo>"
        + entries.map { "<entry key=\"\($0.key)\" value=\"\($0.value)\"/>" }.joined()
        + "</userInfo>"
    }
    func attribute(_ entity: String, _ name: String, _ type: String = "String") -> String {
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\">\(info("\(entity).\(name)"))</attribute>"
    }
    func entity(_ name: String, _ content: String...) -> String {
      "<entity name=\"\(name)\">\(content.joined())\(info(name))</entity>"
    }
    let services = [
      ("id", "String"), ("owner", "String"), ("mine", "Binary"), ("everybodys", "Binary"),
    ]
    let named = [
      ("recordName", "String"), ("ownerName", "String"), ("privateRecordData", "Binary"),
      ("publicRecordData", "Binary"),
    ]
    let text =
      entity(
        "Note", attribute("Note", "title"), attribute("Note", "draft"), attribute("Note", "cache"),
        services.map { attribute("Note", $0, $1) }.joined(),
        "<relationship name=\"folder\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
          + "destinationEntity=\"Folder\" inverseName=\"notes\" inverseEntity=\"Folder\"/>")
      + entity(
        "Folder", attribute("Folder", "name"),
        named.map { attribute("Folder", $0, $1) }.joined(),
        "<relationship name=\"notes\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Cascade\" "
          + "destinationEntity=\"Note\" inverseName=\"folder\" inverseEntity=\"Note\"/>")
      + entity("City", attribute("City", "name"), attribute("City", "ownerName"))
      + entity("Draft", attribute("Draft", "name"))
    return try ManagedObjectModel(xml: Data("<model documentVersion=\"1.0\">\(text)</model>".utf8))
  }

  @Test func aDocumentOfCloudCoreTravelsAsItSays() async throws {
    let model = try Self.document()
    let mine = try TravellingFields(model)
    let names = { (entity: String, fields: TravellingFields) in
      fields.rules(of: try model.requireEntity(named: entity)).names
    }
    // Attributes of CloudCore's own stay here, whether they say so or have its names.
    #expect(try names("Note", mine) == ["title", "draft", "cache", "folder"])
    #expect(try names("Folder", mine) == ["name"])
    #expect(try names("City", mine) == [] && names("Draft", mine) == [])
    let note = mine.rules(of: try model.requireEntity(named: "Note"))
    #expect(note.sent == ["title", "folder"] && note.taken == ["title", "draft", "folder"])
    let everybodys = try TravellingFields(model, scope: .public)
    // One of the names alone is a name like others.
    #expect(try names("City", everybodys) == ["name", "ownerName"])
    #expect(try names("Note", everybodys) == [] && names("Draft", everybodys) == [])
    // And on the way.
    let (here, there) = (try Client(server, model: model), try Client(server, model: model))
    try here.insert("Note", ["title": "a", "draft": "b", "cache": "c", "id": "d", "owner": "e"])
    try await sync(here, there)
    let all = try model.requireEntity(named: "Note").attributes.map(\.name)
    let values = try all.flatMap { try there.values("Note", $0) }
    #expect(values.filter { !$0.isNull } == ["a"])
  }

  @Test(arguments: [
    ("Note", nil, "CloudCoreScopes", "public,private", "one scope"),
    ("Note", nil, "CloudCoreScopes", "private, public", "one scope"),
    ("Note", nil, "CloudCoreScopes", "shared", "known are private, public and none"),
    ("Note", nil, "CloudCoreScope", "public", "which is not known there"),
    ("Note", nil, "CloudCoreParent", "title", "to-one"),
    ("Folder", nil, "CloudCoreParent", "notes", "to-one"),
    ("Note", nil, "CloudCoreParent", "nothing", "to-one"),
    ("Folder", nil, "CloudCoreCacheable", "true", "no binary attributes"),
    ("Note", "title", "CloudCoreType", "recordData", "known are recordName"),
    ("Note", "title", "CloudCoreMasks", "uplaod", "known are upload, download and both"),
    ("Note", "title", "CloudCoreMask", "upload", "which is not known there"),
    ("Note", "title", "cloud.masks", "upload", "which is not known there"),
    ("Note", nil, "cloud.scopes", "public", "which is not known there"),
  ])
  func whatIsNotHonouredIsRefusedWithTheReason(
    _ entity: String, _ attribute: String?, _ key: String, _ value: String, _ reason: String
  ) throws {
    let model = try Self.document(of: entity, attribute, saying: key, value)
    #expect {
      _ = try Client(server, model: model)
    } throws: { error in
      let error = error as? CloudError
      let place = attribute.map { "\(entity).\($0)" } ?? entity
      return error?.code == .unsupported && error?.message.hasPrefix("\(place) says \(key)") == true
        && error?.message.contains(reason) == true
    }
  }

  @Test func whatIsSaidInOurWordsWins() throws {
    let both = try ManagedObjectModel([
      EntityDraft(
        "City", ["name"], userInfo: ["CloudCoreScopes": "public,private", "cloud.scope": "public"]),
      // Would be refused if it travelled.
      EntityDraft(
        "File", ["name"], userInfo: ["CloudCoreCacheable": "true", "cloud.scope": "none"]),
    ])
    for (scope, travels) in [(CloudZone.Scope.private, false), (.public, true)] {
      let fields = try TravellingFields(both, scope: scope)
      #expect(fields.travels(try both.requireEntity(named: "City")) == travels)
    }
    let masked = try Self.document(of: "Note", "draft", saying: "cloud.mask", "download")
    let rules = try TravellingFields(masked).rules(of: masked.requireEntity(named: "Note"))
    #expect(rules.sent.contains("draft") && !rules.taken.contains("draft"))
  }
}
