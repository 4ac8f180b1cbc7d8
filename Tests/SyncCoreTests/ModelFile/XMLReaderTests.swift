import Foundation
import Testing

@testable import SyncCore

@Suite struct XMLReaderTests {
  private func read(_ text: String) throws -> MarkupElement {
    try XMLReader.read(Data(text.utf8))
  }

  @Test func readsElementsAttributesAndText() throws {
    let root = try read(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <!-- made by hand -->
      <a one="1" two='2 "3"'>
          <b/><c.d-e:f >x</c.d-e:f ><?go on?>
          <b x="ä€😀"></b>
      </a>
      <!-- end -->

      """)
    #expect(root.name == "a")
    #expect(root.attributes.map(\.name) == ["one", "two"])
    #expect(root.attribute("two") == "2 \"3\"")
    #expect(root.children.map(\.name) == ["b", "c.d-e:f", "b"])
    #expect(root.children[1].text == "x")
    #expect(root.children[2].attribute("x") == "ä€😀")
    #expect(root.children[2].place == MarkupPlace(line: 5, column: 5))
  }

  @Test func readsReferencesAndCharacterData() throws {
    let root = try read(
      "<a v='&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;&#10;\n\t'>&lt;<![CDATA[<b>&amp;]]>&#xe4;</a>")
    #expect(root.attribute("v") == "<>&\"'A😀\n  ")
    #expect(root.text == "<<b>&amp;ä")
  }

  @Test func lineEndsAreAlikeAndAMarkAtTheBeginningIsSkipped() throws {
    let root = try XMLReader.read(
      Data([0xEF, 0xBB, 0xBF] + Array("<a>1\r\n2\r3\n4\r\r\n</a>".utf8)))
    #expect(root.text == "1\n2\n3\n4\n\n")
  }

  @Test(arguments: [
    ("", "1:1", "empty"),
    ("  \n ", "2:2", "no content"),
    ("<!-- x -->", "1:11", "no content"),
    ("text<a/>", "1:1", "before the first element"),
    ("<a>", "1:4", "cut off"),
    ("<a><b></a>", "1:7", "does not end <b>"),
    ("<a>\n  <b c='1'\n", "3:1", "cut off"),
    ("<a b='1", "1:8", "cut off"),
    ("<a></a", "1:7", "Expected “>”"),
    ("<a/><b/>", "1:5", "follows the end"),
    ("<a/>x", "1:5", "follows the end"),
    ("<a b='1' b='2'/>", "1:10", "twice"),
    ("<a b='1'c='2'/>", "1:9", "Expected a space"),
    ("<a b=1/>", "1:6", "quotes"),
    ("<a b/>", "1:5", "Expected “=”"),
    ("<a b='<'/>", "1:7", "&lt;"),
    ("<1/>", "1:2", "name of an element"),
    ("<a>&b;</a>", "1:4", "&b;"),
    ("<a>&#0;</a>", "1:4", "&#0;"),
    ("<a>&#xD800;</a>", "1:4", "&#xD800;"),
    ("<a>&#x+1;</a>", "1:4", "&#x+1;"),
    ("<a>&#;</a>", "1:4", "&#;"),
    ("<a>1 & 2</a>", "1:6", "&amp;"),
    ("<a>]]></a>", "1:4", "]]&gt;"),
    ("<a><!-- -- --></a>", "1:8", "--"),
    ("<a><!-- ", "1:8", "comment"),
    ("<a><![CDATA[", "1:13", "CDATA"),
    ("<a><?xml version='1.0'?></a>", "1:4", "very beginning"),
    (" <?xml version='1.0'?><a/>", "1:2", "very beginning"),
    ("<?xml version='1.1'?><a/>", "1:1", "XML 1.1"),
    ("<?xml version='1.0' encoding='ISO-8859-1'?><a/>", "1:1", "UTF-8"),
    ("<?xml version='1.0'", "1:1", "malformed"),
    ("<?xml encoding='UTF-8'?><a/>", "1:1", "which version"),
    ("<!DOCTYPE a><a/>", "1:1", "document type"),
    ("<a><!ELEMENT a></a>", "1:4", "inside elements"),
    ("<a>\u{1}</a>", "1:4", "U+1"),
    ("<äöü>\n</äöü", "2:6", "Expected “>”"),
  ])
  func refusesWhatIsNotWellFormed(_ text: String, _ place: String, _ message: String) throws {
    let error = #expect(throws: XMLError.self) { try read(text) }
    #expect(error.map { "\($0.place.line):\($0.place.column)" } == place, "\(text)")
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "") for \(text)")
  }

  @Test func everyDocumentThatIsCutOffIsRefused() throws {
    let text = """
      <?xml version="1.0"?><a b="c&amp;"><!-- d --><e><![CDATA[f]]>g</e><?h i?></a>
      """
    _ = try read(text)
    for length in 0..<text.utf8.count {
      #expect(throws: XMLError.self) { try XMLReader.read(Data(Array(text.utf8)[..<length])) }
    }
  }

  @Test func refusesOtherEncodings() {
    for bytes: [UInt8] in [
      [0xFF, 0xFE, 0x3C, 0], [0xFE, 0xFF, 0, 0x3C], [0x3C, 0x61, 0xE4, 0x3E],
    ] {
      #expect(throws: XMLError.self) { try XMLReader.read(Data(bytes)) }
    }
  }

  @Test func nestingIsBounded() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    _ = try read(nested(XMLReader.maximumDepth))
    #expect(throws: XMLError.self) { try read(nested(XMLReader.maximumDepth + 1)) }
  }

  @Test func aDocumentTypeWithoutDeclarationsIsAcceptedWhereItIsAllowed() throws {
    let plain = #"<!DOCTYPE plist PUBLIC "-//A//DTD>" "http://example.org/p.dtd"><plist/>"#
    #expect(try XMLReader.read(Data(plain.utf8), allowsDocumentType: true).name == "plist")
    for text in ["<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", plain.replacing("<plist/>", with: plain)] {
      #expect(throws: XMLError.self) {
        try XMLReader.read(Data(text.utf8), allowsDocumentType: true)
      }
    }
  }
}
