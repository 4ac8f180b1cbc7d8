import Foundation
import SyncStack
import TestSupport
import Testing

/// Which key fills which attribute, with which value.
@Suite(.timeLimit(.minutes(5))) struct AttributeBehaviourTests {
  /// A stack with the transformers that the model names.
  static func stack() throws -> DataStack {
    register()
    return try DataStack.opened("Mapping")
  }

  static func register() {
    let registry = TransformerRegistry.shared
    registry.register("BehaviourEntities") { json in
      .string(json.stringValue?.replacing("&amp;", with: "&") ?? "")
    } reverse: { value in
      .string(value.description.replacing("&", with: "&amp;"))
    }
    registry.register("BehaviourFirst") { json in
      Value(json: json[0] ?? json["first"] ?? json)
    } reverse: { value in
      .array([.string(value.description)])
    }
    registry.register("BehaviourDouble") { json in .int((json.integerValue ?? 0) * 2) }
    registry.register("BehaviourDateString") { json in
      let digits = (json.stringValue ?? "").filter(\.isNumber)
      return .date(Date(timeIntervalSince1970: (Double(digits) ?? 0) / 1000))
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let rule: String
    let entity: String
    let item: String
    let expected: String
    var testDescription: String { rule }

    init(_ rule: String, _ item: String, _ expected: String, of entity: String = "User") {
      self.rule = rule
      self.entity = entity
      self.item = item
      self.expected = expected
    }
  }

  /// The properties and their values, in one text: `firstName=Ann`.
  static let keys = [
    Case("snake_case", #""first_name": "Ann""#, "firstName=Ann"),
    Case("camelCase", #""firstName": "Ann", "lastName": "B""#, "firstName=Ann lastName=B"),
    Case("a custom key", #""age_of_person": 20"#, "age=20"),
    Case("a custom key adds a spelling", #""age": 20"#, "age=20"),
    Case("custom key of another language", #""last_name": "N""#, "etternavn=N", of: "Norwegian"),
    Case("custom key beside its own name", #""etternavn": "N""#, "etternavn=N", of: "Norwegian"),
    Case("acronyms", #""contract_id": 4, "image_url": "u""#, "contractID=4 imageURL=u"),
    Case("attributes that miss the acronym rule", #""url_string": "u""#, "urlString=u"),
    Case("two attributes of one key", #""both": "x""#, "one=x two=x", of: "Shared"),
    Case("an explicit key beats a name", #""title": "x""#, "title=- caption=x", of: "Shared"),
    Case("type", #""type": "t""#, "userType=t"),
    Case("description", #""description": "d""#, "userDescription=d"),
    Case("signed by custom key", #""signed": "s""#, "rawSigned=s"),
    Case("OrderedUser", #""type": "t""#, "orderedUserType=t", of: "OrderedUser"),
    Case(
      "InflectionUser", #""description": "d""#, "inflectionUserDescription=d", of: "InflectionUser"),
    Case(
      "TwoLetterEntity", #""description": "d""#, "twoLetterEntityDescription=d",
      of: "TwoLetterEntity"),
    Case("MSStaff", #""type": "t""#, "mSstaffType=t", of: "MSStaff"),
    Case(
      "an attribute of the reserved name, a prefixed one",
      #""type": "t", "signed": true, "hash": "h""#, "type=t accountSigned=true hash=h",
      of: "Account"),
    Case(
      "names that SQL reserves",
      #""order": 1, "group": "g", "index": 2, "rowid": 3, "select": "x""#,
      "order=1 group=g index=2 rowid=3 select=x", of: "Account"),
    Case("the prefix of a superentity", #""type": "t""#, "vehicleType=t", of: "Truck"),
    Case(
      "dot paths of any depth",
      #""snake_parent": {"value_one": "1", "depth_one": {"depth_two": "2"}}"#,
      "depthOne=1 depthTwo=2", of: "Deep"),
    Case(
      "several attributes of one root", #""company": {"name": "n", "address": {"city": "c"}}"#,
      "companyName=n companyCity=c"),
  ]

  /// Values of each type.
  static let values = [
    Case(
      "integers", #""integer16": 16, "integer32": 32, "integer64": 64"#,
      "integer16=16 integer32=32 integer64=64"),
    Case(
      "integers from text", #""integer16": "16", "integer32": "32", "integer64": "64""#,
      "integer16=16 integer32=32 integer64=64"),
    Case(
      "doubles", #""double_value": 12.2, "float_value": 12.2"#, "doubleValue=12.2 floatValue=12.2"
    ),
    Case(
      "doubles from text", #""double_value": "12.2", "float_value": "12.2""#,
      "doubleValue=12.2 floatValue=12.2"),
    Case("decimals", #""decimal_value": 12.2"#, "decimalValue=12.2"),
    Case("decimals from text", #""decimal_value": "12.2""#, "decimalValue=12.2"),
    Case("booleans", #""is_active": true"#, "isActive=true"),
    Case("booleans from numbers", #""is_active": 0"#, "isActive=false"),
    Case("booleans from text", #""is_active": "1""#, "isActive=true"),
    Case(
      "text from numbers", #""driver_identifier": 1, "first_name": 1.5"#,
      "driverIdentifier=1 firstName=1.5"),
    Case(
      "text from booleans", #""driver_identifier": true, "first_name": false"#,
      "driverIdentifier=1 firstName=0"),
    Case(
      "integers from booleans", #""integer16": true, "double_value": false"#,
      "integer16=1 doubleValue=0.0"),
    Case(
      "UUID", #""uuid": "1f1a67d2-6d2f-4a6a-9e4e-3d4f5b6c7d8e""#,
      "uuid=1F1A67D2-6D2F-4A6A-9E4E-3D4F5B6C7D8E"),
    Case("URI", #""uri": "https://www.apple.com/""#, "uri=https://www.apple.com/"),
    Case(
      "transformable without transformer is ignored", #""ignored_transformable": "x""#,
      "ignoredTransformable=-"),
    Case(
      "transformable with the model's transformer",
      #""registered_transformable": "/Date(1451606400000)/""#,
      "registeredTransformable=2016-01-01T00:00:00Z"),
    Case("text through a transformer", #""entities": "Foo &amp; bar""#, "entities=Foo & bar"),
    Case("a list through a transformer", #""first_of": ["x", "y"]"#, "firstOf=x"),
    Case("an object through a transformer", #""first_of": {"first": "x"}"#, "firstOf=x"),
    Case("the transformer's result is final", #""count": 4"#, "count=8"),
    Case("an unregistered transformer: the usual conversion", #""not_there": 5"#, "notThere=5"),
    Case(
      "dates of ISO 8601",
      #""birth_date": "1989-02-14T00:00:00+00:00", "created_at": "2014-01-02""#,
      "birthDate=1989-02-14T00:00:00Z createdAt=2014-01-02T00:00:00Z"),
    Case(
      "Unix time", #""birth_date": 1441888808, "created_at": "1441888808000000""#,
      "birthDate=2015-09-10T12:40:08Z createdAt=2015-09-10T12:40:08Z"),
    Case(
      "garbage is no date",
      #""birth_date": "2014-01-02T00:monster&%Garbage", "created_at": "hello""#,
      "birthDate=- createdAt=-"),
  ]

  private func outcome(_ test: Case, _ stack: DataStack) throws -> String {
    let names = test.expected.split(separator: " ").compactMap { part in
      part.contains("=") ? part.split(separator: "=").first.map(String.init) : nil
    }
    return try zip(names, names.map { try stack.only(test.entity, $0) })
      .map { "\($0)=\($1)" }.joined(separator: " ")
  }

  @Test(arguments: keys + values) func syncsFillAttributes(_ test: Case) throws {
    let stack = try Self.stack()
    let items = try dictionaries("[{\"id\": 1, \(test.item)}]")
    try stack.sync(items, inEntityNamed: test.entity)
    #expect(try outcome(test, stack) == test.expected)
    // The same items once more change nothing.
    #expect(try stack.sync(items, inEntityNamed: test.entity).isUnchanged)
  }

  @Test(arguments: keys + values) func fillWithAndHypFillWithFillAttributes(_ test: Case) throws {
    let stack = try Self.stack()
    let item = try #require(dictionaries("[{\(test.item)}]").first)
    try stack.inMain { context in
      for isLegacy in [false, true] {
        let object = try context.insert(entityNamed: test.entity)
        if isLegacy { try object.hyp_fill(with: item) } else { try object.fill(with: item) }
        try context.save()
        #expect(try outcome(test, stack) == test.expected)
        context.delete(object)
        try context.save()
      }
    }
  }

  @Test func valuesAreOfTheSwiftTypesThatTheDocumentationNames() throws {
    let stack = try Self.stack()
    let item = #"""
      [{"id": 1, "integer16": 16, "integer32": "32", "double_value": 1, "float_value": 2.5,
        "decimal_value": "12.2", "is_active": 1, "first_name": 7, "uri": "https://a.b",
        "uuid": "1F1A67D2-6D2F-4A6A-9E4E-3D4F5B6C7D8E", "created_at": "2015-09-10T12:40:08.123456Z",
        "hobbies": ["Football", "Soccer"], "age": null}]
      """#
    try stack.sync(dictionaries(item), inEntityNamed: "User")
    try stack.inMain { context in
      let user = try #require(try context.fetch(1, inEntityNamed: "User"))
      #expect(user.value(forKey: "integer16") as? Int64 == 16)
      #expect(user.value(forKey: "integer16") as? Int == 16)
      #expect(user.value(forKey: "integer16", as: Int.self) == 16)
      #expect(user.value(forKey: "integer32") as? Int64 == 32)
      #expect(user.value(forKey: "doubleValue") as? Double == 1)
      #expect(user.value(forKey: "floatValue") as? Double == 2.5)
      #expect(user.value(forKey: "floatValue") as? Float == 2.5)
      #expect(user.value(forKey: "floatValue", as: Float.self) == 2.5)
      #expect(user.value(forKey: "decimalValue") as? Decimal == Decimal(string: "12.2"))
      #expect(user.value(forKey: "isActive") as? Bool == true)
      #expect(user.value(forKey: "firstName") as? String == "7")
      #expect(user.value(forKey: "uri") as? URL == URL(string: "https://a.b"))
      #expect(
        user.value(forKey: "uuid") as? UUID
          == UUID(uuidString: "1F1A67D2-6D2F-4A6A-9E4E-3D4F5B6C7D8E"))
      let date = try #require(user.value(forKey: "createdAt") as? Date)
      #expect(abs(date.timeIntervalSince1970 - 1_441_888_808.123) < 1e-6)
      let hobbies = try #require(user.value(forKey: "hobbies") as? Data)
      #expect(try JSONValue(canonical: hobbies) == ["Football", "Soccer"])
      #expect(
        try JSONValue(canonical: hobbies).foundationValue as? [String] == ["Football", "Soccer"])
      #expect(user.value(forKey: "age") == nil)
    }
  }

  @Test func dictionariesMayHoldAnythingThatStandsForJSON() throws {
    let stack = try Self.stack()
    let date = Date(timeIntervalSince1970: 1_441_888_808.25)
    let uuid = UUID()
    let item: [String: Any] = [
      "id": NSNumber(value: 1), "age_of_person": NSNumber(value: Int8(20)),
      "is_active": NSNumber(value: true),
      "first_name": NSString("Ann"), "last_name": NSNull(), "birth_date": date,
      "created_at": NSDate(timeIntervalSince1970: 1_441_888_808),
      "uuid": uuid, "uri": NSURL(string: "https://a.b/c") as Any,
      "decimal_value": NSDecimalNumber(string: "12.2"),
      "double_value": Float(12.2), "integer64": UInt64(7),
      "hobbies": NSArray(array: ["a", NSNumber(value: 1)]),
      "company": NSDictionary(dictionary: [
        "name": "n", "address": NSDictionary(dictionary: ["city": NSNull()]),
      ]),
      "level": Optional<String>.none as Any,
    ]
    for _ in 0..<2 { try stack.sync([item], inEntityNamed: "User") }
    try stack.inMain { context in
      let user = try #require(try context.fetch(1, inEntityNamed: "User"))
      #expect(user["age"] as? Int64 == 20)
      #expect(user["isActive"] as? Bool == true)
      #expect(user["firstName"] as? String == "Ann")
      #expect(user["lastName"] == nil && user["level"] == nil && user["companyCity"] == nil)
      #expect(user["birthDate"] as? Date == date)
      #expect(user["createdAt"] as? Date == Date(timeIntervalSince1970: 1_441_888_808))
      #expect(user["uuid"] as? UUID == uuid)
      #expect(user["uri"] as? URL == URL(string: "https://a.b/c"))
      #expect(user["decimalValue"] as? Decimal == Decimal(string: "12.2"))
      #expect(user["doubleValue"] as? Double == 12.2)
      #expect(user["integer64"] as? Int64 == 7)
      #expect(user["companyName"] as? String == "n")
      let hobbies = try #require(user["hobbies"] as? Data)
      #expect(try JSONValue(canonical: hobbies) == ["a", 1])
    }
  }

  @Test func payloadsMayBeOfEveryKindOfDictionaryAndList() throws {
    let stack = try Self.stack()
    try stack.sync([["id": 1], ["id": 2]], inEntityNamed: "User")
    #expect(try stack.count("User") == 2)
    let numbers = ["id": 3, "age_of_person": 4]
    try stack.sync(numbers, inEntityNamed: "User", operations: [.insert])
    let texts: [[String: String]] = [["id": "4", "first_name": "A"]]
    try stack.sync(texts, inEntityNamed: "User", operations: [.insert])
    let trees: [JSONValue] = [["id": 5], ["id": 6]]
    try stack.sync(trees, inEntityNamed: "User", operations: [.insert])
    let mixed: [[String: Any?]] = [["id": 7, "first_name": nil]]
    try stack.sync(mixed, inEntityNamed: "User", operations: [.insert])
    #expect(try stack.count("User") == 7)
    try stack.inMain { context in
      _ = try context.insertOrUpdate(["id": 8], inEntityNamed: "User")
      _ = try context.insertOrUpdate(numbers, inEntityNamed: "User")
      let user = try context.update(8, with: ["age_of_person": 3], inEntityNamed: "User")
      #expect(user?["age"] as? Int64 == 3)
    }
    #expect(try stack.count("User") == 8)
  }
}
