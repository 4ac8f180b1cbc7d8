import Foundation
import SyncCore
import TestSupport
import Testing

/// Variables that get their values later.
@Suite struct FilterVariableTests {
  private enum Level: Int { case low, high }

  @Test func valuesTakeThePlacesOfVariables() throws {
    let filter = Filter("age >= $age AND (name IN $names OR NOT score + $age > $score)")
    let filled = filter.withSubstitutionVariables([
      "age": 18, "names": ["Ann", "Bob"], "score": 1.5, "unused": "x",
    ])
    #expect(
      try filled.node.description
        == Filter("age >= 18 AND (name IN {'Ann', 'Bob'} OR NOT score + 18 > 1.5)").node.description
    )
    // The filter itself is as it was.
    #expect(filter.description.contains("$age"))
  }

  @Test func someMayComeLater() throws {
    let half = Filter("age > $low AND age < $high").withSubstitutionVariables(["low": Level.low])
    #expect(half.description == "age > 0 AND age < $high")
    #expect(
      half.withSubstitutionVariables(["high": Level.high]).description == "age > 0 AND age < 1")
  }

  @Test func nilIsAValue() throws {
    #expect(
      Filter("name == $name").withSubstitutionVariables(["name": nil]).description == "name == nil")
  }

  @Test func aSubqueryKeepsItsOwn() throws {
    let filter = Filter("SUBQUERY(notes, $n, $n.text == $text AND $n == $m).@count > $n")
    #expect(
      filter.withSubstitutionVariables(["text": "x", "n": 1]).description
        == "SUBQUERY(notes, $n, $n.text == 'x' AND $n == $m).@count > 1")
  }

  @Test func oneWithoutValueIsAnErrorWhenTheFilterIsUsed() throws {
    let model = try TestModels.users()
    let entity = try model.requireEntity(named: "User")
    let error = #expect(throws: FilterError.self) {
      try Filter("id == $id").validated(for: entity)
    }
    #expect(error?.key == "$id" && error?.message.contains("withSubstitutionVariables") == true)
  }

  @Test func aPropertyOfAValueAndAnythingThatIsNoneAreErrors() {
    let path = Filter("name == $user.name")
    #expect(throws: FilterError.self) {
      try path.withSubstitutionVariables(["user": "Ann"]).node
    }
    #expect(throws: FilterError.self) {
      try path.withSubstitutionVariables(["other": ["key": 1]]).node
    }
  }

  @Test func aBrokenFilterStaysBroken() {
    #expect(throws: FilterError.self) {
      try Filter("age >").withSubstitutionVariables(["a": 1]).node
    }
  }
}
