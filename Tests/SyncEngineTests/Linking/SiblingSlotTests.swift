import SyncStack
import TestSupport
import Testing

/// Subentities of one entity number their own properties alike: a value of one of them in a slot
/// says nothing about the relationship that another has there.
@Suite struct SiblingSlotTests {
  @Test func aNumberOfASiblingIsNoOwnerOfAnOrderedList() throws {
    let bench = try SyncBench(
      ManagedObjectModel([
        EntityDraft(
          "Book",
          [
            .attribute("id", .integer64),
            .toMany("chapters", to: "Chapter", inverse: "book", isOrdered: true),
            .toMany("covers", to: "Cover", inverse: "wrapped"),
          ]),
        EntityDraft("Part", [.attribute("id", .integer64)], isAbstract: true),
        EntityDraft(
          "Chapter", [.toOne("book", to: "Book", inverse: "chapters")], superentity: "Part"),
        EntityDraft(
          "Cover",
          [.attribute("area", .integer64), .toOne("wrapped", to: "Book", inverse: "covers")],
          superentity: "Part"),
      ]))
    let (chapter, cover) = try (
      bench.model.requireEntity(named: "Chapter"), bench.model.requireEntity(named: "Cover")
    )
    #expect(cover.attribute(named: "area")?.slot == chapter.relationship(named: "book")?.slot)
    try bench.sync(
      #"""
      [{"id": 1, "chapters": [{"id": 1}, {"id": 2}],
        "covers": [{"id": 3, "area": 9000000000000000000}]}]
      """#, "Book")
    #expect(try bench.objects("Book") == ["id=1 chapters=[1,2] covers=[3]"])
  }
}
