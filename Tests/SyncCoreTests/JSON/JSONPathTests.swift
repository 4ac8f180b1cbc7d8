import SyncCore
import Testing

@Suite struct JSONPathTests {
  @Test(
    arguments: [
      ("", []),
      ("$", []),
      ("$.a", ["a"]),
      ("a.$", ["a", .key("$")]),
      ("data.items", ["data", "items"]),
      ("a[3].b", ["a", .key("3"), "b"]),
      ("['a.b'].c", ["a.b", "c"]),
      ("[\"a['b']\"]", ["a['b']"]),
      ("['']", [""]),
      ("a[].b", ["a", .each, "b"]),
      ("a.*", ["a", .each]),
      ("['*']", [.key("*")]),
      ("a['b", ["a", "'b"]),
      ("$[\"\u{591}a\"].b", ["\u{591}a", "b"]),
      (".\u{301}a", ["\u{301}a"]),
      ("a[\u{301}]b", ["a", "\u{301}", "b"]),
    ] as [(String, [JSONPath.Step])])
  func aTextIsReadAsSteps(_ text: String, _ steps: [JSONPath.Step]) {
    #expect(JSONPath(text).steps == steps)
  }

  @Test(arguments: [
    "a", "a.b", "", "$", "*", "]", "a]b", "'", "a']", "a\"]", "\u{301}a", "a.\u{301}", "]\u{301}",
    "\"]\u{301}x",
    "']\u{301}.", "[", "3", "日本", "e\u{301}",
  ])
  func aNameIsWrittenAsItIsRead(_ name: String) {
    for path in [JSONPath([.key(name)]), JSONPath(["a", .key(name), .each, .key(name)])] {
      #expect(JSONPath(path.text) == path)
      #expect(JSONPath(path.description) == path)
    }
  }
}
