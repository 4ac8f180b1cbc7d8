import SyncStack
import Testing

@testable import SyncStackTool

@Suite struct ModelDiagramTests {
  let model: ManagedObjectModel

  init() throws {
    model = try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          .attribute("id", .integer64, isOptional: false), .attribute("name", .string),
          .toOne("manager", to: "User", inverse: "reports"),
          .toMany("reports", to: "User", inverse: "manager"),
          .toMany("tags", to: "Tag", inverse: "users"),
        ]),
      EntityDraft("Admin", [.attribute("level", .integer16)], superentity: "User"),
      EntityDraft(
        "Tag",
        [
          .attribute("id", .integer64), .toMany("users", to: "User", inverse: "tags"),
          .toOne("author", to: "User"),
        ]),
    ])
  }

  @Test func drawsOneLineForARelationshipAndItsInverse() {
    #expect(
      ModelConnection.all(in: model).map(\.label) == [
        "manager / reports", "tags / users", "author",
      ])
  }

  @Test func writesAClassDiagramForMermaid() {
    #expect(
      MermaidDiagram(model: model).text == """
        classDiagram
          class User {
            +integer64 id
            string? name
          }
          class Admin {
            integer16? level
          }
          class Tag {
            +integer64? id
          }
          User <|-- Admin
          User "*" --> "0..1" User : manager / reports
          User "*" --> "*" Tag : tags / users
          Tag --> "0..1" User : author

        """)
  }

  @Test func writesAGraphForGraphviz() {
    let text = DotDiagram(model: model).text
    #expect(text.contains("<u>id</u>: Integer 64"))
    #expect(text.contains("\"Admin\" -> \"User\" [arrowhead=empty, arrowtail=none];"))
    #expect(
      text.contains(
        "\"User\" -> \"Tag\" [label=\"tags / users\", arrowhead=crow, arrowtail=crow];"))
    #expect(text.contains("\"Tag\" -> \"User\" [label=\"author\", arrowhead=tee, arrowtail=none];"))
  }

  @Test func drawsEveryEntityAttributeAndRelationship() {
    let text = SVGDiagram(model: model).text
    for shown in [
      "User", "Admin", "Tag", "level: Integer 16", "manager", "reports ∗", "tags ∗", "users ∗",
      "author", "is a",
    ] {
      #expect(text.contains(">\(shown)</text>"))
    }
    #expect(text.ranges(of: "<path").count == 4)
  }

  @Test func keepsBoxesApartAndEveryEndOfALineToItself() {
    let layout = DiagramLayout(
      sizes: [(3, 10), (2, 20), (5, 5), (1, 3)],
      links: [(0, 1), (0, 1), (0, 2), (1, 2), (0, 0), (3, 3)])
    for (first, box) in layout.boxes.enumerated() {
      #expect(box.x + box.width <= layout.width && box.y + box.height <= layout.height)
      for other in layout.boxes.dropFirst(first + 1) {
        let isApart =
          box.x + box.width <= other.x || other.x + other.width <= box.x
          || box.y + box.height <= other.y || other.y + other.height <= box.y
        #expect(isApart)
      }
    }
    let ends = layout.ports.flatMap {
      [[$0.source.x, $0.source.y], [$0.destination.x, $0.destination.y]]
    }
    #expect(Set(ends).count == ends.count)
  }

  @Test func writesAModelAsText() {
    #expect(
      ModelText(model: model).lines(width: nil).prefix(9) == [
        "User (key id)",
        "  Property  Type        Remarks",
        "  ────────  ──────────  ───────────────",
        "  id        Integer 64  key, required",
        "  name      String",
        "  manager   one User    inverse reports",
        "  reports   many User   inverse manager",
        "  tags      many Tag    inverse users",
        "",
      ])
  }
}
