import SyncStore
import TestSupport

/// Changes of a model that can be inferred, done to model and data alike.
extension MigrationSketch {
  mutating func change(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<17, using: &random) {
    case 0: addEntity()
    case 1: addSubentity(&random)
    case 2: addSuperentity(&random)
    case 3: removeEntity(&random)
    case 4: renameEntity(&random)
    case 5: entities.shuffle(using: &random)
    case 6, 7: addAttribute(&random)
    case 8: changeAttribute(&random) { entity, index, _ in entity.attributes.remove(at: index) }
    case 9: renameAttribute(&random)
    case 10: convertAttribute(&random)
    case 11: requireAttribute(&random)
    case 12: addBond(&random)
    case 13: removeBond(&random)
    default: changeBond(&random)
    }
  }

  // MARK: - Entities

  mutating func addEntity() {
    let mark = mark()
    entities.append(Entity(mark: mark, name: "E\(mark)"))
  }

  private mutating func addSubentity(_ random: inout SeededGenerator) {
    let mark = mark()
    entities.append(Entity(mark: mark, name: "E\(mark)", parent: random.pick(entities).mark))
  }

  private mutating func addSuperentity(_ random: inout SeededGenerator) {
    let roots = entities.indices.filter { entities[$0].parent == nil }
    let mark = mark()
    entities[random.pick(roots)].parent = mark
    entities.append(Entity(mark: mark, name: "E\(mark)", isAbstract: true))
  }

  private mutating func removeEntity(_ random: inout SeededGenerator) {
    let leaves = entities.filter { entity in !entities.contains { $0.parent == entity.mark } }
    guard entities.count > 2, let entity = leaves.randomElement(using: &random) else { return }
    for bond in bonds where bond.near.entity == entity.mark || bond.far.entity == entity.mark {
      remove(bond)
    }
    let rows = Set((objects[entity.mark] ?? [:]).keys)
    // Links of inherited relationships go with the objects.
    for bond in bonds {
      let isNear = family(bond.near.entity).contains(entity.mark)
      let isFar = family(bond.far.entity).contains(entity.mark)
      links[bond.mark] = links[bond.mark]?.filter {
        !(isNear && rows.contains($0.near)) && !(isFar && rows.contains($0.far))
      }
    }
    objects[entity.mark] = nil
    entities.removeAll { $0.mark == entity.mark }
  }

  private mutating func renameEntity(_ random: inout SeededGenerator) {
    let index = Int.random(in: entities.indices, using: &random)
    entities[index].former = entities[index].former ?? entities[index].name
    entities[index].name = "E\(mark())"
  }

  // MARK: - Attributes

  mutating func addAttribute(_ random: inout SeededGenerator) {
    let index = Int.random(in: entities.indices, using: &random)
    let mark = mark()
    let type = random.pick(AttributeType.allCases)
    var attribute = Attribute(mark: mark, name: "a\(mark)", type: type)
    if type == .integer64 || type == .string {
      attribute.initial = type == .string ? .string("new") : .int(4)
      attribute.isOptional = random.chance(50)
    }
    entities[index].attributes.append(attribute)
    for member in family(entities[index].mark) {
      for row in (objects[member] ?? [:]).keys {
        objects[member]?[row]?[mark] = attribute.initial
      }
    }
  }

  private mutating func changeAttribute(
    _ random: inout SeededGenerator,
    _ body: (inout Entity, Int, inout SeededGenerator) -> Void
  ) {
    let owners = entities.indices.filter { !entities[$0].attributes.isEmpty }
    guard let owner = owners.randomElement(using: &random) else { return }
    let index = Int.random(in: entities[owner].attributes.indices, using: &random)
    body(&entities[owner], index, &random)
  }

  private mutating func renameAttribute(_ random: inout SeededGenerator) {
    let mark = mark()
    changeAttribute(&random) { entity, index, _ in
      let name = entity.attributes[index].name
      entity.attributes[index].former = entity.attributes[index].former ?? name
      entity.attributes[index].name = "a\(mark)"
    }
  }

  private mutating func convertAttribute(_ random: inout SeededGenerator) {
    var change: (mark: Int, entity: Int, conversion: ValueConversion)?
    changeAttribute(&random) { entity, index, random in
      let source = entity.attributes[index].type
      let conversions = AttributeType.allCases.compactMap { ValueConversion(from: source, to: $0) }
      let conversion = random.pick(conversions.filter { !$0.mayFail })
      // A store sees only the outcome of all changes, so each attribute has one of these at a time.
      guard entity.attributes[index].initial.isNull, !entity.attributes[index].isChanged else {
        return
      }
      entity.attributes[index].isChanged = true
      entity.attributes[index].type = conversion.target
      change = (entity.attributes[index].mark, entity.mark, conversion)
    }
    guard let change else { return }
    for member in family(change.entity) {
      for (row, values) in objects[member] ?? [:] {
        guard let value = values[change.mark] else { continue }
        objects[member]?[row]?[change.mark] = change.conversion.convert(value) ?? .null
      }
    }
  }

  private mutating func requireAttribute(_ random: inout SeededGenerator) {
    var change: (mark: Int, entity: Int, value: Value)?
    changeAttribute(&random) { entity, index, _ in
      guard !entity.attributes[index].initial.isNull, !entity.attributes[index].isChanged else {
        return
      }
      entity.attributes[index].isChanged = true
      entity.attributes[index].isOptional.toggle()
      guard !entity.attributes[index].isOptional else { return }
      change = (entity.attributes[index].mark, entity.mark, entity.attributes[index].initial)
    }
    guard let change else { return }
    for member in family(change.entity) {
      for (row, values) in objects[member] ?? [:] where values[change.mark]?.isNull ?? true {
        objects[member]?[row]?[change.mark] = change.value
      }
    }
  }

  // MARK: - Relationships

  mutating func addBond(_ random: inout SeededGenerator) {
    let mark = mark()
    let near = random.pick(entities).mark
    let far = random.pick(entities).mark
    var bond = Bond(
      mark: mark, near: Side(entity: near, name: "n\(mark)", isToMany: random.chance(60)),
      far: Side(
        entity: far, name: random.chance(80) ? "f\(mark)" : nil, isToMany: random.chance(50)))
    if bond.far.name == nil { bond.far.isToMany = true }
    bonds.append(bond)
  }

  private mutating func remove(_ bond: Bond) {
    bonds.removeAll { $0.mark == bond.mark }
    links[bond.mark] = nil
  }

  private mutating func removeBond(_ random: inout SeededGenerator) {
    if let bond = bonds.randomElement(using: &random) { remove(bond) }
  }

  private mutating func changeBond(_ random: inout SeededGenerator) {
    guard !bonds.isEmpty else { return }
    let index = Int.random(in: bonds.indices, using: &random)
    let held = links[bonds[index].mark] ?? []
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      bonds[index].near = renamed(bonds[index].near)
    case 1 where bonds[index].far.name != nil:
      bonds[index].far = renamed(bonds[index].far)
    case 2 where bonds[index].near.isToMany:
      bonds[index].near.isOrdered.toggle()
    case 3:
      let owners = Set(held.map(\.near))
      if !bonds[index].near.isToMany {
        bonds[index].near.isToMany = true
      } else if owners.count == held.count {
        bonds[index].near.isToMany = false
        bonds[index].near.isOrdered = false
      }
    case 4 where bonds[index].far.name != nil:
      let owners = Set(held.map(\.far))
      if !bonds[index].far.isToMany {
        bonds[index].far.isToMany = true
      } else if owners.count == held.count {
        bonds[index].far.isToMany = false
        bonds[index].far.isOrdered = false
      }
    case 5 where bonds[index].far.name == nil:
      // An inverse for a relationship that had none.
      bonds[index].far.name = "f\(mark())"
    default: break
    }
  }

  private mutating func renamed(_ side: Side) -> Side {
    var side = side
    side.former = side.former ?? side.name
    side.name = "r\(mark())"
    return side
  }
}
