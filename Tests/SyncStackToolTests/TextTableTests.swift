import Testing

@testable import SyncStackTool

@Suite struct TextTableTests {
  @Test func setsNumbersToTheRightAndTextToTheLeft() {
    var table = TextTable([.init("Entity"), .init("Objects", numeric: true), .init("Key")])
    table.add(["Country", "249", "code"])
    table.add(["Subdivision", "5,046", "code"])
    #expect(
      table.lines() == [
        "Entity       Objects  Key",
        "───────────  ───────  ────",
        "Country          249  code",
        "Subdivision    5,046  code",
      ])
  }

  @Test func cutsTheWidestColumnsFirst() {
    var table = TextTable([.init("Code"), .init("Name"), .init("N", numeric: true)])
    table.add(["AF", "The Islamic Republic of Afghanistan", "12345678901"])
    let lines = table.lines(width: 40)
    #expect(lines.allSatisfy { TextWidth.of($0) <= 40 })
    #expect(lines[2] == "AF    The Islamic Republic…  12345678901")
  }

  @Test func neverCutsAColumnBelowEightCells() {
    var table = TextTable([.init("A"), .init("B")])
    table.add([String(repeating: "a", count: 20), String(repeating: "b", count: 20)])
    #expect(table.lines(width: 5)[2] == "aaaaaaa…  bbbbbbb…")
  }

  @Test func keepsARowOnOneLine() {
    var table = TextTable([.init("Text")])
    table.add(["a\nb\tc\r\nd"])
    #expect(table.lines()[2] == "a b c d")
  }

  @Test(arguments: [
    ("abc", 3), ("Zürich", 6), ("e\u{301}", 1), ("東京", 4), ("🇨🇭", 2), ("", 0), ("조선", 4),
  ])
  func countsCellsNotCharacters(text: String, width: Int) {
    #expect(TextWidth.of(text) == width)
  }

  @Test func cutsBetweenCharacters() {
    #expect(TextWidth.cut("東京都", to: 6) == "東京都")
    #expect(TextWidth.cut("東京都", to: 5) == "東京…")
    #expect(TextWidth.cut("東京都", to: 4) == "東…")
    #expect(TextWidth.cut("abc", to: 0) == "")
  }
}
