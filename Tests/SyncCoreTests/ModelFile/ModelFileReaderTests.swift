import Foundation
import SyncCore
import Testing

@Suite struct ModelFileReaderTests {
  private func model(_ content: String) throws -> ManagedObjectModel {
    try ManagedObjectModel(xml: Data("<model documentVersion=\"1.0\">\(content)</model>".utf8))
  }

  private func entity(_ content: String) throws -> EntityDescription {
    try model("<entity name=\"A\">\(content)</entity>").requireEntity(named: "A")
  }

  @Test func readsADocumentAsToolsWriteIt() throws {
    let model = try ManagedObjectModel(xml: Data(Self.document.utf8))
    #expect(model.versionIdentifier == "7")
    #expect(model.entities.map(\.name) == ["Car", "Owner", "Vehicle"])
    let car = try model.requireEntity(named: "Car")
    #expect(car.superentity?.name == "Vehicle")
    #expect(car.managedObjectClassName == ".Car")
    #expect(car.properties.map(\.name) == ["id", "name", "owners", "doors"])
    #expect(car.primaryKey?.name == "id")
    let vehicle = try model.requireEntity(named: "Vehicle")
    #expect(vehicle.isAbstract)
    #expect(vehicle.managedObjectClassName == nil)
    #expect(vehicle.renamingIdentifier == "Thing")
    #expect(vehicle.uniquenessConstraints == [["id"], ["id", "name"]])
    #expect(
      vehicle.indexes == [
        FetchIndexDescription(
          name: "byName",
          elements: [.init(property: "name"), .init(property: "id", ascending: false)])
      ])
    #expect(vehicle.userInfo == ["note": "a & b"])
    let owners = try #require(vehicle.relationship(named: "owners"))
    #expect(owners.isToMany && owners.isOrdered && owners.isOptional)
    #expect(owners.minCount == 1 && owners.maxCount == 3)
    #expect(owners.deleteRule == .deny)
    #expect(owners.renamingIdentifier == "people")
    #expect(owners.userInfo == ["sync.remoteKey": "people.data"])
    let owner = try model.requireEntity(named: "Owner")
    #expect(owner.primaryKey?.name == "code")
    #expect(owner.inverse(of: try #require(owner.relationship(named: "vehicle")))?.name == "owners")
    #expect(owner.relationship(named: "vehicle")?.isOptional == false)
  }

  @Test func readsAttributesWithAllTheySay() throws {
    let entity = try entity(
      """
      <attribute name="a" attributeType="Integer 16" defaultValueString="-3" minValueString="-5"
        maxValueString="5" usesScalarValueType="YES" syncable="YES"/>
      <attribute name="b" optional="YES" attributeType="Date" defaultDateTimeInterval="631152000.5"
        minDateTimeInterval="0"/>
      <attribute name="c" optional="YES" transient="YES" attributeType="String" minValueString="1"
        maxValueString="9" regularExpressionString="[a-z]+" defaultValueString="x&#10;y"/>
      <attribute name="d" optional="YES" attributeType="Transformable" customClassName="Color"
        valueTransformerName="ColorTransformer" preserveAfterDeletion="YES" elementID="e"/>
      """)
    let a = try #require(entity.attribute(named: "a"))
    #expect(!a.isOptional)
    #expect(a.defaultValue == -3 && a.validation.minimum == -5 && a.validation.maximum == 5)
    let b = try #require(entity.attribute(named: "b"))
    #expect(b.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 631_152_000.5)))
    #expect(b.validation.minimum == .date(Date(timeIntervalSinceReferenceDate: 0)))
    let c = try #require(entity.attribute(named: "c"))
    #expect(c.isTransient && c.defaultValue == "x\ny")
    #expect(c.validation == ValidationRules(minimum: 1, maximum: 9, regularExpression: "[a-z]+"))
    let d = try #require(entity.attribute(named: "d"))
    #expect(d.valueClassName == "Color" && d.valueTransformerName == "ColorTransformer")
    #expect(d.preservesValueInHistory && d.renamingIdentifier == "e")
  }

  @Test(arguments: [
    ("Integer 64", "9223372036854775807", Value.int(.max)), ("Integer 32", "0.0", 0),
    ("Decimal", "12345678901234567890.25", .decimal(Decimal(string: "12345678901234567890.25")!)),
    ("Double", "1.5e3", 1500.0), ("Float", "2", 2.0), ("Boolean", "YES", true),
    ("Boolean", "0", false), ("String", "", ""),
    ("UUID", "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"),
    ("URI", "https://example.org/a?b=c", "https://example.org/a?b=c"),
    ("Binary", "AAE=", .data(Data([0, 1]))),
  ])
  func readsDefaultsOfEveryType(_ type: String, _ text: String, _ value: Value) throws {
    let attribute = try entity(
      "<attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"/>")
    #expect(attribute.attributes.first?.defaultValue == value)
  }

  @Test(arguments: [
    ("Integer 64", "x"), ("Integer 64", "1.5"), ("Integer 64", "9223372036854775808"),
    ("Decimal", "1,5"), ("Decimal", "12abc"), ("Double", "inf"), ("Double", "0x1p3"),
    ("Boolean", "maybe"), ("UUID", "1"), ("Binary", "?"), ("Date", "2020-01-01"),
  ])
  func aDefaultThatIsNoValueOfItsTypeIsAnError(_ type: String, _ text: String) {
    let error = #expect(throws: ModelError.self) {
      try entity("<attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"/>")
    }
    #expect(error?.code == .invalidDefault && error?.entity == "A" && error?.property == "a")
    #expect(error?.message.contains(text) == true && error?.message.contains(type) == true)
  }

  @Test func whatDoesNotChangeTheStoreIsPassedOver() throws {
    let model = try model(
      """
      <entity name="A" syncable="YES" codeGenerationType="class" versionHashModifier="2"
        coreSpotlightDisplayNameExpression="a">
        <attribute name="a" attributeType="Binary" allowsExternalBinaryDataStorage="NO"
          spotlightIndexingEnabled="YES" storedInTruthFile="YES" allowsCloudEncryption="NO"/>
        <relationship name="b" destinationEntity="A" indexed="YES" storedInTruthFile="YES"/>
        <fetchedProperty name="f"><fetchRequest name="r" entity="A"/></fetchedProperty>
        <fetchIndex name="i"><fetchIndexElement expression="a + 1" expressionType="Integer 16"
          type="Binary" order="ascending"/></fetchIndex>
      </entity>
      <fetchRequest name="r" entity="A" predicateString="TRUEPREDICATE"/>
      <configuration name="c"><memberEntity name="A"/></configuration>
      <elements><element name="A" positionX="1" positionY="2" width="3" height="4"/></elements>
      """)
    let entity = try model.requireEntity(named: "A")
    #expect(entity.properties.map(\.name) == ["a", "b"])
    #expect(entity.indexes.isEmpty && entity.properties.allSatisfy(\.userInfo.isEmpty))
  }

  @Test func whatRemoteSyncIsToEncryptOrToSendAsAFileIsInTheUserInfo() throws {
    let entity = try entity(
      """
      <attribute name="a" attributeType="String" allowsCloudEncryption="YES">
        <userInfo><entry key="k" value="v"/></userInfo></attribute>
      <attribute name="b" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
      """)
    #expect(entity.attribute(named: "a")?.userInfo == ["k": "v", "allowsCloudEncryption": "YES"])
    #expect(entity.attribute(named: "b")?.userInfo == ["allowsExternalBinaryDataStorage": "YES"])
  }

  @Test func theOldWaysToAskForIndexesAreKept() throws {
    let entity = try entity(
      """
      <attribute name="a" attributeType="String" indexed="YES"/>
      <attribute name="b" attributeType="String" indexed="NO"/>
      <compoundIndexes><compoundIndex><index value="a"/><index value="b"/></compoundIndex>
      </compoundIndexes>
      """)
    #expect(entity.indexes.map(\.name) == ["a", "a_b"])
    #expect(entity.indexes.last?.elements.map(\.property) == ["a", "b"])
  }

  @Test(arguments: [
    (#"<attribute name="x" attributeType="Undefined"/>"#, "type Undefined", "x"),
    (#"<attribute name="x"/>"#, "type Undefined", "x"),
    (#"<attribute name="x" attributeType="Complex"/>"#, "type Complex", "x"),
    (#"<attribute name="x" attributeType="Composite"/>"#, "Declare the parts", "x"),
    (
      #"<attribute name="x" attributeType="String" derived="YES" derivationExpression="y"/>"#,
      "Derived", "x"
    ),
    (#"<attribute name="x" attributeType="String" encrypted="YES"/>"#, "“encrypted”", "x"),
    (#"<relationship name="x" destinationEntity="A" weak="YES"/>"#, "“weak”", "x"),
    (#"<relationship name="x" destinationEntity="A" deletionRule="Forget"/>"#, "“Forget”", "x"),
    (#"<trigger/>"#, "<trigger>", nil),
    (#"<attribute name="x" attributeType="String"><unit/></attribute>"#, "<unit>", "x"),
    (#"<uniquenessConstraints><other/></uniquenessConstraints>"#, "<other>", nil),
  ])
  func whatMightChangeTheStoreIsAnErrorThatNamesIt(
    _ content: String, _ message: String, _ property: String?
  ) {
    let error = #expect(throws: ModelError.self) { try entity(content) }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.entity == "A" && error?.property == property)
  }

  @Test(arguments: [
    (#"<attribute attributeType="String"/>"#, "no “name”"),
    (#"<attribute name="x" attributeType="String" optional="perhaps"/>"#, "YES or NO"),
    (#"<relationship name="x" destinationEntity="A" maxCount="many"/>"#, "whole number"),
    (#"<userInfo><entry key="k" value="1"/><entry key="k" value="2"/></userInfo>"#, "twice"),
    (#"<userInfo><entry value="1"/></userInfo>"#, "no “key”"),
    (#"<attribute name="x" attributeType="String">text</attribute>"#, "contains text"),
    (#"<fetchIndex name="i"><fetchIndexElement property="x" order="up"/></fetchIndex>"#, "“up”"),
  ])
  func malformedElementsAreErrorsWithTheirPlace(_ content: String, _ message: String) {
    let error = #expect(throws: ModelError.self) { try entity(content) }
    #expect(error?.code == .malformedDocument)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("line 1, column") == true)
  }

  @Test(arguments: [
    ("", "empty"), ("<model>", "cut off"), ("<plist/>", "is no model"), ("{}", "before the first"),
  ])
  func whatIsNoModelDocumentIsAnError(_ text: String, _ message: String) {
    let error = #expect(throws: ModelError.self) { try ManagedObjectModel(xml: Data(text.utf8)) }
    #expect(error?.code == .malformedDocument)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func damageIsRefusedOrHarmlessButNeverStopsTheProcess() {
    let bytes = Array(Self.document.utf8)
    for index in stride(from: 0, to: bytes.count, by: 17) {
      for byte in "<>&\"/! x\u{0}".utf8 {
        var damaged = bytes
        damaged[index] = byte
        _ = try? ManagedObjectModel(xml: Data(damaged))
      }
      _ = try? ManagedObjectModel(xml: Data(bytes[..<index]))
      #expect(throws: ModelError.self) {
        try ManagedObjectModel(xml: Data(bytes[..<min(index, bytes.count - 4)]))
      }
    }
  }

  @Test func otherDocumentVersionsAreRefused() {
    #expect {
      try ManagedObjectModel(xml: Data("<model documentVersion=\"2.0\"/>".utf8))
    } throws: { ($0 as? ModelError)?.code == .unsupported }
  }

  @Test func theEntityOfTheInverseIsTheDestination() {
    let error = #expect(throws: ModelError.self) {
      try model(
        """
        <entity name="A"><relationship name="b" destinationEntity="B" inverseName="a"
          inverseEntity="C"/></entity>
        <entity name="B"/><entity name="C"/>
        """)
    }
    #expect(error?.code == .invalidInverse && error?.property == "b")
  }

  private static let document = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
    lastSavedToolsVersion="22522" systemVersion="23B92" minimumToolsVersion="Automatic" \
    sourceLanguage="Swift" usedWithCloudKit="NO" usedWithSwiftData="NO" \
    userDefinedModelVersionIdentifier="7">
        <entity name="Car" representedClassName=".Car" parentEntity="Vehicle" syncable="YES">
            <attribute name="doors" optional="YES" attributeType="Integer 16" \
    defaultValueString="4" usesScalarValueType="YES"/>
        </entity>
        <entity name="Owner" representedClassName="Owner" syncable="YES">
            <attribute name="code" attributeType="String">
                <userInfo>
                    <entry key="hyper.isPrimaryKey" value="true"/>
                </userInfo>
            </attribute>
            <relationship name="vehicle" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Vehicle" inverseName="owners" inverseEntity="Vehicle"/>
        </entity>
        <entity name="Vehicle" representedClassName="NSManagedObject" isAbstract="YES" \
    elementID="Thing" syncable="YES">
            <attribute name="id" attributeType="Integer 64" usesScalarValueType="YES"/>
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="owners" optional="YES" toMany="YES" minCount="1" maxCount="3" \
    deletionRule="Deny" ordered="YES" destinationEntity="Owner" inverseName="vehicle" \
    inverseEntity="Owner" elementID="people">
                <userInfo>
                    <entry key="sync.remoteKey" value="people.data"/>
                </userInfo>
            </relationship>
            <fetchIndex name="byName">
                <fetchIndexElement property="name" type="Binary" order="ascending"/>
                <fetchIndexElement property="id" type="Binary" order="descending"/>
            </fetchIndex>
            <uniquenessConstraints>
                <uniquenessConstraint>
                    <constraint value="id"/>
                </uniquenessConstraint>
                <uniquenessConstraint>
                    <constraint value="id"/>
                    <constraint value="name"/>
                </uniquenessConstraint>
            </uniquenessConstraints>
            <userInfo>
                <entry key="note" value="a &amp; b"/>
            </userInfo>
        </entity>
        <elements>
            <element name="Car" positionX="-63" positionY="-18" width="128" height="44"/>
        </elements>
    </model>

    """
}
