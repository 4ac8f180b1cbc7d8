import SyncStack
import TestSupport
import Testing

@testable import SyncStackTool

@Suite struct ModelDiagramTests {
  let model: ManagedObjectModel

  init() throws {
    model = try ManagedObjectModel([
      EntityDraft(
        "User",
        [
          "id required", "name", "manager -> User.reports", "reports ->> User.manager",
          "tags ->> Tag.users",
        ]),
      "Admin < User: level integer16",
      "Tag: id, users ->> User.tags, author -> User",
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
