/// The model of the conformance suite as a model document.
extension Library {
  static let document = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" minimumToolsVersion="Automatic"
        sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
      <entity name="Item" isAbstract="YES" syncable="YES">
        <attribute name="id" attributeType="Integer 64" defaultValueString="0" usesScalarValueType="YES">
          <userInfo><entry key="sync.isPrimaryKey" value="YES"/></userInfo>
        </attribute>
        <attribute name="title" optional="YES" attributeType="String" minValueString="2" maxValueString="12"
          regularExpressionString="[A-Z].*"/>
        <attribute name="createdAt" optional="YES" attributeType="Date" usesScalarValueType="NO">
          <userInfo><entry key="sync.remoteKey" value="meta.created"/></userInfo>
        </attribute>
        <relationship name="labels" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Label"
          inverseName="items" inverseEntity="Label"/>
        <fetchIndex name="byTitle">
          <fetchIndexElement property="title" type="Binary" order="ascending"/>
        </fetchIndex>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="id"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="Book" parentEntity="Item" syncable="YES">
        <attribute name="pages" attributeType="Integer 32" defaultValueString="100" minValueString="1"
          maxValueString="5000" usesScalarValueType="YES"/>
        <attribute name="shelf" optional="YES" attributeType="String"/>
        <attribute name="place" optional="YES" attributeType="Integer 16" elementID="position"/>
        <attribute name="level" attributeType="Integer 16" defaultValueString="1"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
          inverseName="books" inverseEntity="Author"/>
        <relationship name="loans" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Loan"
          inverseName="book" inverseEntity="Loan"/>
        <fetchIndex name="byShelf">
          <fetchIndexElement property="shelf" type="Binary" order="ascending"/>
          <fetchIndexElement property="place" type="Binary" order="descending"/>
        </fetchIndex>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="shelf"/><constraint value="place"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="Film" parentEntity="Item" syncable="YES">
        <attribute name="length" attributeType="Double" defaultValueString="90"/>
        <relationship name="programmes" optional="YES" toMany="YES" deletionRule="No Action"
          destinationEntity="Programme" inverseName="films" inverseEntity="Programme"/>
      </entity>
      <entity name="Author" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Book"
          inverseName="author" inverseEntity="Book"/>
        <relationship name="teacher" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
          inverseName="student" inverseEntity="Author"/>
        <relationship name="student" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
          inverseName="teacher" inverseEntity="Author"/>
      </entity>
      <entity name="Loan" syncable="YES">
        <attribute name="reader" optional="YES" attributeType="String"/>
        <relationship name="book" maxCount="1" deletionRule="Nullify" destinationEntity="Book" inverseName="loans"
          inverseEntity="Book"/>
      </entity>
      <entity name="Programme" syncable="YES">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="films" toMany="YES" ordered="YES" minCount="1" maxCount="3" deletionRule="Nullify"
          destinationEntity="Film" inverseName="programmes" inverseEntity="Film"/>
      </entity>
      <entity name="Label" syncable="YES">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="items" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Item"
          inverseName="labels" inverseEntity="Item"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="Sample" syncable="YES">
        <attribute name="integer16" optional="YES" attributeType="Integer 16"/>
        <attribute name="integer32" optional="YES" attributeType="Integer 32"/>
        <attribute name="integer64" optional="YES" attributeType="Integer 64"/>
        <attribute name="decimal" optional="YES" attributeType="Decimal"/>
        <attribute name="double" optional="YES" attributeType="Double"/>
        <attribute name="float" optional="YES" attributeType="Float"/>
        <attribute name="string" optional="YES" attributeType="String"/>
        <attribute name="boolean" optional="YES" attributeType="Boolean"/>
        <attribute name="date" optional="YES" attributeType="Date"/>
        <attribute name="binary" optional="YES" attributeType="Binary"/>
        <attribute name="uuid" optional="YES" attributeType="UUID"/>
        <attribute name="uri" optional="YES" attributeType="URI"/>
        <attribute name="transformable" optional="YES" attributeType="Transformable"
          valueTransformerName="Library.Numbers"/>
        <attribute name="transient" optional="YES" transient="YES" attributeType="String"/>
        <attribute name="integer16Default" attributeType="Integer 16" defaultValueString="-3" minValueString="-5"/>
        <attribute name="decimalDefault" attributeType="Decimal" defaultValueString="1.5" minValueString="0.5"
          maxValueString="9.5"/>
        <attribute name="doubleDefault" attributeType="Double" defaultValueString="2.5" maxValueString="10"/>
        <attribute name="stringDefault" attributeType="String" defaultValueString="x"/>
        <attribute name="booleanDefault" attributeType="Boolean" defaultValueString="YES"/>
        <attribute name="dateDefault" attributeType="Date" defaultDateTimeInterval="60" minDateTimeInterval="0"/>
        <attribute name="binaryDefault" attributeType="Binary" defaultValueString="AQI="/>
        <attribute name="uuidDefault" attributeType="UUID" defaultValueString="01020304-0506-0708-090A-0B0C0D0E0F10"/>
      </entity>
    </model>
    """
}
