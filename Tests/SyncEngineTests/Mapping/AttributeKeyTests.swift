import SyncStack
import TestSupport
import Testing

@Suite struct AttributeKeyTests {
  @Test(arguments: [
    ("firstName", "first_name"), ("firstName", "firstName"), ("firstName", "FirstName"),
    ("firstName", "FIRST_NAME"), ("firstName", "first__name"), ("firstName", "_first_name"),
    ("contractID", "contract_id"), ("contractId", "contract_id"), ("urlString", "url_string"),
    ("userId", "user_id"), ("userID", "USER_ID"), ("imageURL", "image_URL"),
    ("f2fURL", "f2f_url"), ("URLString", "url_string"), ("isHTMLValid", "is_html_valid"),
    ("first_name", "first_name"), ("id", "id"), ("id", "_id"), ("remoteID", "id"),
    ("remoteID", "remote_id"), ("größe", "größe"), ("größeMax", "Größe_Max"),
    ("userID", "userId"), ("userId", "userID"), ("imageURL", "imageUrl"),
    ("avatarUrl", "avatarURL"), ("userID", "userid"), ("userID", "USERID"), ("userID", "UserId"),
    ("apiKeyUUID", "apiKeyUuid"), ("isHTMLValid", "isHtmlValid"),
    ("pdfURLString", "pdfUrlString"),
    ("htmlURL", "HTMLUrl"), ("userName", "username"), ("userIDs", "userIds"), ("SKU", "sku"),
    ("a_very_long_attribute_name_indeed", "a_very_long_attribute_name_indeed"),
  ])
  func aNameIsReachedByItsSpellings(name: String, key: String) throws {
    let node = try plan([.attribute(name, .string)]).rootNode
    #expect(node.meaning(of: key) == name)
  }

  @Test func anAttributeIsFilledBesideARelationshipWhoseIdentifiersHaveItsSpelling() throws {
    let node = try plan([
      "Post: id, userID integer64, user -> User",
      "User: id",
    ]).rootNode
    for key in ["user_id", "userId", "userID", "UserId", "userid"] {
      #expect(node.meaning(of: key).contains("userID"), "\(key)")
      #expect(node.meaning(of: key).contains("user.references"), "\(key)")
    }
  }

  @Test func twoNamesOfTheSameLettersKeepTheirOwnSpellings() throws {
    let node = try plan([.attribute("userID", .string), .attribute("userId", .string)]).rootNode
    #expect(node.meaning(of: "userID") == "userID")
    #expect(node.meaning(of: "userId") == "userId")
  }

  @Test(arguments: [
    "", "_", "name2", "na", "nam", "namee", "test_!_key", "ñame", "remote.name", "na-me",
  ])
  func otherKeysMeanNothing(key: String) throws {
    #expect(try plan([.attribute("name", .string)]).rootNode.meaning(of: key) == "")
  }

  @Test func theCustomKeyCountsThenSnakeThenTheOwnNameThenLastResorts() throws {
    let node = try plan([.attribute("urlString", .string, remoteKey: "link")]).rootNode
    let order = ["link", "url_string", "urlString", "UrlString", "URL_STRING", "_url__string"]
    let ranks = order.compactMap { node.precedence(of: $0) }
    #expect(ranks.count == order.count)
    #expect(Set(ranks).count == order.count)
    #expect(ranks == ranks.sorted())
  }

  @Test func anAttributesOwnNameBeatsTheInflectedNameOfAnother() throws {
    let node = try plan([.attribute("firstName", .string), .attribute("first_name", .string)])
      .rootNode
    #expect(node.meaning(of: "first_name") == "first_name")
    #expect(node.meaning(of: "firstName") == "firstName")
  }

  @Test func idMeansRemoteIDOnlyWhenNothingElseIsCalledId() throws {
    let both = try plan([.attribute("remoteID", .integer64), .attribute("id", .integer64)])
    #expect(both.rootNode.meaning(of: "id") == "id")
    let custom = try plan([
      .attribute("remoteID", .integer64), .attribute("randomId", .string, remoteKey: "id"),
    ])
    #expect(custom.rootNode.meaning(of: "id") == "randomId")
  }

  @Test(arguments: [
    ("User", "type", "userType"), ("User", "description", "userDescription"),
    ("User", "signed", "userSigned"), ("OrderedUser", "type", "orderedUserType"),
    ("TwoLetterEntity", "description", "twoLetterEntityDescription"),
    ("MSStaff", "type", "mSstaffType"), ("MSStaff", "type", "msStaffType"),
    ("User", "type", "type"),
  ])
  func reservedKeysMeanTheAttributeNamedAfterTheEntity(entity: String, key: String, name: String)
    throws
  {
    let node = try plan(named: entity, [.attribute(name, .string)]).rootNode
    #expect(node.meaning(of: key) == name)
  }

  @Test func thePrefixOfEveryEntityUpTheChainIsTriedTheNearestFirst() throws {
    let car: EntityDraft = "Car: carType, carSigned"
    let racecar: EntityDraft = "Racecar < Car: racecarType"
    let node = try plan([racecar, car]).rootNode
    #expect(node.meaning(of: "type") == "racecarType")
    #expect(node.meaning(of: "signed") == "carSigned")
  }

  @Test func dotPathsLeadToAnyDepthAndShareTheirRoots() throws {
    let node = try plan([
      .attribute("depth", .string, remoteKey: "snake_parent.depth_one.depth_two"),
      .attribute("email", .string, remoteKey: "snake_parent.email"),
      .attribute("odd", .string, remoteKey: "a..b"),
      .attribute("picture", .string, remoteKey: "pictures.0.url"),
    ]).rootNode
    #expect(node.meaning(of: "snake_parent", "depth_one", "depth_two") == "depth")
    #expect(node.meaning(of: "snake_parent", "email") == "email")
    #expect(node.meaning(of: "a..b") == "odd")
    #expect(node.meaning(of: "pictures", "0", "url") == "picture")
    #expect(node.meaning(of: "snake_parent.email") == "email")
    let root = node.members.entries[node.members.find("snake_parent")]
    #expect(root.descendants.map { node.attributes[$0.rule].name }.sorted() == ["depth", "email"])
  }

  @Test func legacyAnnotationsCountTheCurrentOnesWin() throws {
    let node = try plan([
      .attribute(
        "custom", .string, userInfo: ["hyper.isPrimaryKey": "true", "hyper.remoteKey": "greeting"]),
      .attribute("other", .string, userInfo: ["sync.remoteKey": "new", "hyper.remoteKey": "old"]),
      .attribute("secret", .string, userInfo: ["hyper.nonExportable": "false"]),
    ]).rootNode
    #expect(node.identity == [0])
    #expect(node.attributes[0].isIdentity)
    #expect(node.meaning(of: "greeting") == "custom")
    #expect(node.meaning(of: "new") == "other")
    #expect(node.meaning(of: "old") == "")
    #expect(node.attributes.map(\.isExportable) == [true, true, false])
  }

  @Test func transientAttributesAreNotMapped() throws {
    let node = try plan([.attribute("shade", .string, isTransient: true)]).rootNode
    #expect(node.attributes.isEmpty)
    #expect(node.meaning(of: "shade") == "")
  }
}
