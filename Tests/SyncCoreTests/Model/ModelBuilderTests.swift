import SyncCore
import TestSupport
import Testing

@Suite struct ModelBuilderTests {
  @Test func entitiesKeepTheOrderOfTheirDeclaration() throws {
    let model = try TestModels.vehicles()
    #expect(model.entities.map(\.name) == ["Racecar", "Car", "Bicycle", "Vehicle", "Person"])
  }

  @Test func inheritedPropertiesComeFirstAndKeepTheirSlots() throws {
    let model = try TestModels.vehicles()
    let racecar = try model.requireEntity(named: "Racecar")
    #expect(racecar.properties.map(\.name) == ["id", "name", "owner", "doors", "team"])
    #expect(racecar.properties.map(\.slot) == [0, 1, 2, 3, 4])
    for entity in model.entities {
      for property in entity.superentity?.properties ?? [] {
        #expect(entity.property(named: property.name)?.slot == property.slot)
      }
    }
  }

  @Test func entitiesKnowTheirFamily() throws {
    let model = try TestModels.vehicles()
    let vehicle = try model.requireEntity(named: "Vehicle")
    #expect(vehicle.familyEntities.map(\.name) == ["Vehicle", "Car", "Racecar", "Bicycle"])
    #expect(model.entity(named: "Racecar")?.rootEntity == vehicle)
    #expect(vehicle.isAbstract)
    #expect(try model.requireEntity(named: "Racecar").isKind(of: vehicle))
    #expect(try !model.requireEntity(named: "Person").isKind(of: vehicle))
  }

  @Test func bothSidesOfARelationshipKnowEachOther() throws {
    let model = try TestModels.social()
    let user = try model.requireEntity(named: "User")
    let notes = try #require(user.relationship(named: "notes"))
    #expect(user.destination(of: notes).name == "Note")
    #expect(user.inverse(of: notes)?.name == "user")
    #expect(!notes.isInverseToMany)
    #expect(notes.kind == .oneToMany)
    #expect(notes.deleteRule == .cascade)
    let tags = try #require(user.relationship(named: "tags"))
    #expect(tags.isInverseToMany)
    #expect(tags.kind == .manyToMany)
    #expect(user.relationship(named: "tasks")?.isOrdered == true)
  }

  @Test func inheritedRelationshipsKeepTheInverseOfTheDeclaringEntity() throws {
    let model = try TestModels.vehicles()
    let racecar = try model.requireEntity(named: "Racecar")
    let owner = try #require(racecar.relationship(named: "owner"))
    #expect(racecar.inverse(of: owner)?.name == "vehicles")
    #expect(model.entities[owner.declaringIndex].name == "Vehicle")
    let person = try model.requireEntity(named: "Person")
    let vehicles = try #require(person.relationship(named: "vehicles"))
    #expect(person.inverse(of: vehicles)?.name == "owner")
    #expect(person.destination(of: vehicles).name == "Vehicle")
  }

  @Test func aRelationshipMayHaveNoInverseOrBeItsOwn() throws {
    let model = try TestModels.relationships()
    let entity = try model.requireEntity(named: "A")
    #expect(entity.relationship(named: "other")?.inverseSlot == nil)
    #expect(entity.relationship(named: "others")?.kind == .manyToMany)
    let friends = try #require(entity.relationship(named: "friends"))
    #expect(friends.inverseSlot == friends.slot)
    #expect(friends.isInverseToMany)
  }

  @Test func everyAttributeTypeCanBeDeclared() throws {
    let entity = try TestModels.allTypes().requireEntity(named: "Everything")
    #expect(entity.attributes.dropFirst().map(\.type) == AttributeType.allCases)
  }

  @Test func toOneRelationshipsHoldOneObjectAtMost() throws {
    let model = try TestModels.tree()
    let entity = try model.requireEntity(named: "Organization")
    #expect(entity.relationship(named: "parent")?.maxCount == 1)
    #expect(entity.relationship(named: "children")?.maxCount == 0)
  }
}
