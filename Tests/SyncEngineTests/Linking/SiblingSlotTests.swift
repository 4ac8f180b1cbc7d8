import SyncStack
import TestSupport
import Testing

/// Subentities of one entity number their own properties alike: a value of one of them in a slot
/// says nothing about the relationship that another has there.
@Suite struct SiblingSlotTests {
  @Test func aNumberOfASiblingIsNoOwnerOfAnOrderedList() throws {
    let bench = try SyncBench([
      "Book: id, chapters ->> Chapter.book ordered, covers ->> Cover.wrapped",
      "abstract Part: id",
      "Chapter < Part: book -> Book.chapters",
      "Cover < Part: area integer64, wrapped -> Book.covers",
    ])
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
