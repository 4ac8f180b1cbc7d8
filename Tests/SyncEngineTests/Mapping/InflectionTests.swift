import SyncEngine
import Testing

@Suite struct InflectionTests {
  @Test(arguments: [
    ("age", "age"), ("id", "id"), ("pdf", "pdf"), ("driverIdentifier", "driver_identifier"),
    ("integer16", "integer16"), ("userID", "user_id"), ("GreenWallet", "green_wallet"),
    ("createdAt", "created_at"), ("userIDFirst", "user_id_first"),
    ("OrderedUser", "ordered_user"), ("iUUID", "i_uuid"), ("iURI", "i_uri"), ("iURL", "i_url"),
    ("plannedToIDs", "planned_to_ids"), ("contractID", "contract_id"), ("imageURL", "image_url"),
    ("userUUIDValue", "user_uuid_value"), ("firstName2", "first_name2"),
    ("twoLetterEntityDescription", "two_letter_entity_description"), ("xPosition", "x_position"),
    ("MSStaff", "m_sstaff"),
  ])
  func snakeGivesThePinnedKeys(name: String, key: String) {
    #expect(Inflection.snake(name) == key)
  }

  @Test(
    arguments: [
      ("age", "age"), ("id", "id"), ("pdf", "pdf"), ("uuid", "uuid"),
      ("driver_identifier", "driverIdentifier"), ("integer16", "integer16"),
      ("test_!_key", nil), ("user_id", "userID"), ("updated_at", "updatedAt"),
      ("updated_uuid", "updatedUUID"), ("updated_uri", "updatedURI"),
      ("updated_url", "updatedURL"), ("GreenWallet", "greenWallet"),
      ("contract_id", "contractID"), ("user_ids", "userIds"),
      ("image_url_string", "imageURLString"), ("_id", "id"),
      ("foo_bar-baz qux", "fooBarBazQux"), ("first-name", "first-name"),
      ("two_letter_entity_description", "twoLetterEntityDescription"),
    ] as [(String, String?)])
  func camelGivesThePinnedNames(key: String, name: String?) {
    #expect(Inflection.camel(key) == name)
  }

  @Test(arguments: [
    ("URLString", "url_string"), ("isHTMLValid", "is_html_valid"), ("first_name", "first_name"),
    ("MSStaff", "ms_staff"), ("urlString", "url_string"), ("plannedToIDs", "planned_to_ids"),
    ("f2fURL", "f2f_url"), ("userIDFirst", "user_id_first"), ("isPAID", "is_paid"),
  ])
  func naturalSnakeSplitsWordsWhereAReaderDoes(name: String, key: String) {
    #expect(Inflection.naturalSnake(name) == key)
  }

  @Test func lettersBeyondASCIIHaveCapitalsToo() {
    #expect(Inflection.snake("größeÜberAlles") == "größe_über_alles")
    #expect(Inflection.naturalSnake("ÉCOLENom") == "école_nom")
    #expect(Inflection.camel("über_größe") == "überGröße")
    #expect(Inflection.camel("straße_ß") == "straßeSS")
    #expect(Inflection.camel("a_👩") == nil)
  }

  @Test func manyInflectionsAtOnceGiveTheSameAsOneAtATime() async {
    let names = ["userIDFirst", "OrderedUser", "plannedToIDs", "imageURL", "MSStaff"]
    let keys = ["user_id", "updated_uuid", "foo_bar-baz qux", "test_!_key", "GreenWallet"]
    let snakes = names.map { Inflection.snake($0) }
    let camels = keys.map { Inflection.camel($0) }
    let wrong = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<6_000 {
        group.addTask {
          let index = number % names.count
          return Inflection.snake(names[index]) != snakes[index]
            || Inflection.camel(keys[index]) != camels[index]
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wrong == 0)
  }

  @Test(arguments: [
    "", "_", "__", "-", " ", "日本語", "ß", "Übergröße", "é_É", "👩‍👩‍👧_Ab", "a\u{0}B", "İd", "ǅ_ǅ",
    "\u{301}_x", "A!B", "123", "ﬁX",
  ])
  func everyTextHasAnAnswer(text: String) {
    _ = Inflection.snake(text)
    _ = Inflection.naturalSnake(text)
    _ = Inflection.camel(text)
    #expect(Inflection.key(for: text).isEmpty == text.isEmpty)
  }
}
