import SyncStack
import TestSupport
import Testing

/// Lists of kinds: a key of the item tells which subentity its object is.
@Suite struct KindTests {
  private let bench: SyncBench

  init() throws { bench = try SyncBench(Self.model()) }

  /// Slides with blocks of several kinds, which are told apart by their ids or not at all.
  static func model(keyed: Bool = true, isOrdered: Bool = false) throws -> ManagedObjectModel {
    try ManagedObjectModel([
      """
      Slide: id, blocks ->> Block.slide cascade \(isOrdered ? "ordered" : ""),
      cover -> Block cascade
      """,
      "abstract Block sync.typeKey=type: \(keyed ? "id, " : "")slide -> Slide.blocks",
      "ImageBlock < Block sync.type=image,photo: url",
      "Section < Block: text, accessories ->> Accessory.section cascade",
      "Accessory: label, section -> Section.accessories",
    ])
  }

  private func all(_ bench: SyncBench) throws -> [String] {
    try ["ImageBlock", "Section"].flatMap { name in
      try bench.objects(name).map { "\(name) \($0)" }
    }
  }

  @Test(arguments: [true, false])
  func atTheTopEachItemIsAnObjectOfItsSubentity(_ usesFingerprints: Bool) throws {
    let json =
      #"[{"id": 1, "type": "image", "url": "u"}, {"id": 2, "type": "section", "text": "t"}, {"id": 3, "type": "photo"}]"#
    let report = try bench.sync(json, "Block") { $0.setup.usesFingerprints = usesFingerprints }
    #expect(try all(bench) == ["ImageBlock id=1 url=u", "ImageBlock id=3", "Section id=2 text=t"])
    #expect(report.entities["ImageBlock"]?.inserted == 2)
    #expect(report.entities.values.allSatisfy { $0.unusedKeys.isEmpty })
    let again = try bench.sync(json, "Block") { $0.setup.usesFingerprints = usesFingerprints }
    #expect(again.isUnchanged)
    #expect(again.entities["ImageBlock"]?.unchanged == 2)
    try bench.sync(#"[{"id": 2, "type": "section", "text": "v"}]"#, "Block")
    #expect(try all(bench) == ["Section id=2 text=v"])
  }

  @Test(arguments: [true, false], [true, false])
  func kindsAreReadInListsWithKeys(_ isOrdered: Bool, _ usesFingerprints: Bool) throws {
    let bench = try SyncBench(Self.model(isOrdered: isOrdered))
    func sync(_ blocks: String) throws -> SyncReport {
      try bench.sync(#"[{"id": 9, "blocks": \#(blocks)}]"#, "Slide") {
        $0.setup.usesFingerprints = usesFingerprints
      }
    }
    let list =
      #"[{"id": 2, "type": "section", "text": "t"}, {"id": 1, "type": "image", "url": "u"}]"#
    _ = try sync(list)
    #expect(
      try all(bench) == ["ImageBlock id=1 url=u slide=9", "Section id=2 text=t slide=9"]
        || all(bench) == ["ImageBlock id=1 slide=9 url=u", "Section id=2 slide=9 text=t"])
    #expect(try bench.objects("Slide") == [isOrdered ? "id=9 blocks=[2,1]" : "id=9 blocks=[1,2]"])
    #expect(try sync(list).isUnchanged)
    #expect(try sync(list).isUnchanged)
    _ = try sync(#"[{"id": 1, "type": "image", "url": "v"}, {"id": 3, "type": "section"}]"#)
    #expect(try bench.objects("Slide") == ["id=9 blocks=[1,3]"])
    #expect(try bench.count("Block") == 2)
    _ = try sync("[]")
    #expect(try bench.count("Block") == 0)
  }

  @Test(arguments: [true, false], [true, false])
  func kindsAreReadInListsWithoutKeys(_ isOrdered: Bool, _ usesFingerprints: Bool) throws {
    let bench = try SyncBench(Self.model(keyed: false, isOrdered: isOrdered))
    func sync(_ blocks: String) throws -> SyncReport {
      try bench.sync(#"[{"id": 9, "blocks": \#(blocks)}]"#, "Slide") {
        $0.setup.usesFingerprints = usesFingerprints
      }
    }
    let list =
      #"[{"type": "section", "text": "t", "accessories": [{"label": "l"}]}, {"type": "image", "url": "u"}, {"type": "section", "text": "w"}]"#
    _ = try sync(list)
    #expect(try bench.count("ImageBlock") == 1)
    #expect(try bench.count("Section") == 2)
    #expect(try bench.count("Accessory") == 1)
    #expect(try sync(list).isUnchanged)
    #expect(try sync(list).isUnchanged)
    let report = try sync(#"[{"type": "image", "url": "u"}, {"type": "image", "url": "x"}]"#)
    #expect(report.entities["ImageBlock"]?.inserted == 1)
    #expect(report.entities["Section"]?.deleted == 2)
    #expect(try bench.count("Block") == 2)
    #expect(try bench.count("Accessory") == 0)
  }

  @Test(arguments: [true, false]) func kindsAreReadBelowAToOneRelationship(_ keyed: Bool) throws {
    let bench = try SyncBench(Self.model(keyed: keyed))
    func sync(_ cover: String) throws -> SyncReport {
      try bench.sync(#"[{"id": 9, "cover": \#(cover)}]"#, "Slide")
    }
    let image =
      keyed ? #"{"type": "image", "id": 1, "url": "u"}"# : #"{"type": "image", "url": "u"}"#
    _ = try sync(image)
    #expect(try bench.count("ImageBlock") == 1)
    #expect(try sync(image).isUnchanged)
    let section =
      keyed ? #"{"type": "section", "id": 1, "text": "t"}"# : #"{"type": "section", "text": "t"}"#
    let report = try sync(section)
    #expect(try bench.count("Section") == 1)
    #expect(try bench.count("ImageBlock") == 0)
    #expect(report.count(of: .changedKind) == (keyed ? 1 : 0))
    #expect(try sync(section).isUnchanged)
  }

  @Test(arguments: [true, false]) func anObjectThatChangesItsKindIsReplaced(_ nested: Bool) throws {
    func sync(_ blocks: String) throws -> SyncReport {
      nested
        ? try bench.sync(#"[{"id": 9, "blocks": \#(blocks)}]"#, "Slide")
        : try bench.sync(blocks, "Block")
    }
    _ = try sync(#"[{"id": 1, "type": "image", "url": "u"}]"#)
    let report = try sync(#"[{"id": 1, "type": "section", "text": "t"}]"#)
    #expect(try bench.count("ImageBlock") == 0)
    #expect(try bench.count("Section") == 1)
    #expect(report.count(of: .changedKind) == 1)
  }

  @Test(arguments: [
    #"{"id": 2, "type": "hologram"}"#, #"{"id": 2}"#, #"{"id": 2, "type": null}"#,
    #"{"id": 2, "type": {"a": 1}}"#,
  ])
  func anUnknownKindIsLeftOutAndReportedAndProtectsStoredObjects(_ item: String) throws {
    try bench.sync(
      #"[{"id": 1, "type": "image"}, {"id": 2, "type": "section"}, {"id": 3, "type": "image"}]"#,
      "Block")
    let report = try bench.sync(#"[{"id": 1, "type": "image"}, \#(item)]"#, "Block")
    #expect(try all(bench) == ["ImageBlock id=1", "Section id=2"])
    #expect(report.findings(of: .skippedItem).map(\.path) == ["$[1]"])
    let nested = try bench.sync(
      #"[{"id": 9, "blocks": [{"id": 5, "type": "image"}, \#(item)]}]"#, "Slide")
    #expect(nested.findings(of: .skippedItem).map(\.path) == ["$[0].blocks[1]"])
    #expect(try bench.objects("Slide") == ["id=9 blocks=[5]"])
    let error = #expect(throws: SyncError.self) {
      try bench.sync("[\(item)]", "Block") { $0.settings.onItemError = .fail }
    }
    #expect(error?.code == .unknownKind && error?.entity == "Block")
  }

  @Test func aKindMayStandForAllOthersAndForObjectsOfTheEntityItself() throws {
    let model = try ManagedObjectModel([
      "Animal sync.typeKey=kind: id, kind",
      "Dog < Animal: breed",
      "Other < Animal sync.type=*",
    ])
    let bench = try SyncBench(model)
    try bench.sync(
      #"[{"id": 1, "kind": "dog", "breed": "b"}, {"id": 2, "kind": "newt"}, {"id": 3}, {"id": 4, "kind": "Animal"}]"#,
      "Animal")
    #expect(try bench.objects("Dog") == ["id=1 kind=dog breed=b"])
    #expect(try bench.objects("Other") == ["id=2 kind=newt"])
    #expect(try bench.objects("Animal").count == 4)
  }

  @Test func theNameOfTheKindMayStandDeeperAndTheObjectInAWrapper() throws {
    let model = try ManagedObjectModel([
      "abstract Entry sync.typeKey=sys.contentType.sys.id: id string from sys.id",
      "BlogPost < Entry: title from fields.title",
      "Author < Entry: name from fields.name",
    ])
    let bench = try SyncBench(model)
    let json = #"""
      [{"sys": {"id": "a", "contentType": {"sys": {"id": "blogPost"}}}, "fields": {"title": "T"}},
       {"sys": {"id": "b", "contentType": {"sys": {"id": "author"}}}, "fields": {"name": "N"}}]
      """#
    try bench.sync(json, "Entry")
    #expect(try bench.objects("BlogPost") == ["id=a title=T"])
    #expect(try bench.objects("Author") == ["id=b name=N"])
    #expect(try bench.sync(json, "Entry").isUnchanged)
  }

  @Test(arguments: [1, 2]) func inPartsItIsTheSame(_ size: Int) throws {
    let json =
      #"[{"id": 1, "blocks": [{"id": 1, "type": "image"}]}, {"id": 2, "blocks": [{"id": 2, "type": "section"}]}, {"id": 3}]"#
    for _ in 0..<2 { try bench.sync(json, "Slide", parts: size) }
    #expect(try all(bench) == ["ImageBlock id=1 slide=1", "Section id=2 slide=2"])
    try bench.sync(
      #"[{"id": 1}, {"id": 2, "blocks": []}, {"id": 3, "blocks": [{"id": 1, "type": "image"}]}]"#,
      "Slide", parts: size)
    #expect(try all(bench) == ["ImageBlock id=1 slide=3"])
  }

  @Test func childrenOfAGivenParentHaveKinds() throws {
    try bench.sync(#"[{"id": 1}, {"id": 2}]"#, "Slide")
    for list in [
      #"[{"id": 1, "type": "image"}, {"id": 2, "type": "section"}]"#,
      #"[{"id": 2, "type": "section"}]"#,
    ] {
      for _ in 0..<2 { try bench.sync(list, "Block", under: bench.id("Slide", 1)) }
    }
    #expect(try all(bench) == ["Section id=2 slide=1"])
  }

  @Test func referencesByKeyFindObjectsOfEveryKind() throws {
    try bench.sync(#"[{"id": 1, "type": "image"}]"#, "Block")
    let report = try bench.sync(
      #"[{"id": 9, "blocks_ids": [1]}, {"id": 8, "cover_id": 7}, {"id": 7, "blocks": [{"id": 7, "type": "section"}]}]"#,
      "Slide")
    #expect(report.count(of: .unresolvedReference) == 0)
    #expect(try bench.objects("Slide") == ["id=7 blocks=[7]", "id=8 cover=7", "id=9 blocks=[1]"])
  }
}
