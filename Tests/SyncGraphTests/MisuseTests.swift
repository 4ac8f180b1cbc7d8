import Foundation
import SyncGraph
import TestSupport
import Testing

/// Misuse of objects and contexts. It stops the program, with advice: it never hangs, never goes on
/// with half of it, never stops without a word.
@Suite(.timeLimit(.minutes(5))) struct MisuseTests {
  /// One thing not to be done.
  enum Misuse: String, CaseIterable, Codable, Sendable {
    case objectOfAnotherContext, objectOfAnotherContextByKey, objectOfAnotherStack
    case objectOfNoContext, memberOfAnotherContext
    case changeWithoutContext, faultWithoutContext, changeAfterReset
    case deletedDestination, goneDestination, deletedMember, deletedOwner, changeOfWhatIsGone
    case deletingForOthers, refreshingForOthers
    case identifierOfAnotherModel, temporaryIdentifierOfOthers
    case mainContextElsewhere, mainContextSavedElsewhere
    case saveInWillSave, saveInValidation, saveInChangeObserver
    case endlessWillSave, endlessAwake, endlessRefresh, endlessDidSave, endlessObserver
    case noNumber, noDecimal, noDate
    case truthAsNumber, textAsNumber, fractionAsNumber, numberAsText, textAsDate
    case valueOfNoType, objectAsList, objectOfAnotherEntity, unknownKey
    case relationshipAsAttribute, entityWithoutClass, classThatDoesNotFit

    /// Words that the message has to contain.
    var words: [String] {
      switch self {
      case .objectOfAnotherContext, .objectOfAnotherContextByKey, .objectOfAnotherStack,
        .objectOfNoContext:
        ["User.company", "another context", "object(with: other.objectID)"]
      case .memberOfAnotherContext: ["User.notes", "another context"]
      case .changeWithoutContext, .changeAfterReset, .faultWithoutContext:
        ["gone or was reset", "Keep the context", "object(with: objectID)"]
      case .deletedDestination, .goneDestination: ["User.company", "deleted", "isDeleted"]
      case .deletedMember: ["User.notes", "deleted", "isDeleted"]
      case .deletedOwner: ["User.company", "its owner was deleted"]
      case .changeOfWhatIsGone: ["cannot be changed", "isDeleted"]
      case .deletingForOthers: ["another context", "Delete it there"]
      case .refreshingForOthers: ["another context", "Refresh it there"]
      case .identifierOfAnotherModel: ["another model", "its own stack"]
      case .temporaryIdentifierOfOthers: ["temporary identifier", "Save first"]
      case .mainContextElsewhere, .mainContextSavedElsewhere:
        ["belongs to the main queue", "perform { }"]
      case .saveInWillSave, .saveInValidation, .saveInChangeObserver:
        ["inside a save", "didSave()"]
      case .endlessWillSave: ["willSave()", "a thousand times"]
      case .endlessAwake: ["awakeFromInsert() of Meddler", "200 deep"]
      case .endlessRefresh: ["awakeFromFetch() of Meddler", "200 deep", "refresh nothing"]
      case .endlessDidSave: ["a hundred saves", "saveIfChanged()"]
      case .endlessObserver: ["a thousand"]
      case .noNumber: ["User.score cannot hold “nan”", "Set a number, or nil"]
      case .noDecimal: ["Price.amount cannot hold", "Set a number, or nil"]
      case .noDate: ["User.createdAt cannot hold", "or nil"]
      case .truthAsNumber: ["User.age is of type Integer 32 and cannot hold “true”"]
      case .textAsNumber: ["User.age is of type Integer 32 and cannot hold “x”"]
      case .fractionAsNumber: ["User.age is of type Integer 32 and cannot hold “1.5”"]
      case .numberAsText: ["User.name is of type String and cannot hold “5”"]
      case .textAsDate: ["User.createdAt is of type Date and cannot hold “today”"]
      case .valueOfNoType: ["User.name cannot hold a DataStack"]
      case .objectAsList: ["User.notes is a to-many relationship"]
      case .objectOfAnotherEntity: ["User.company", "Company"]
      case .unknownKey: ["User has no property “nme”", "email"]
      case .relationshipAsAttribute: ["User.notes is a relationship", "value(forKey:)"]
      case .entityWithoutClass: ["Stranger"]
      case .classThatDoesNotFit: ["does not fit the entity User"]
      }
    }
  }

  @Test(arguments: Misuse.allCases) func stopsWithAMessageThatSaysWhatToDo(misuse: Misuse) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse] in
      try MisuseTests.commit(misuse)
    }
    for word in misuse.words { expectStop(result, says: word) }
  }

  private static func commit(_ misuse: Misuse) throws {
    switch misuse {
    case .saveInWillSave, .saveInValidation, .saveInChangeObserver, .endlessWillSave,
      .endlessAwake, .endlessRefresh, .endlessDidSave, .endlessObserver:
      try commitInHook(misuse)
    case .noDecimal:
      let model = try ManagedObjectModel(["Price: amount decimal"])
      let context = try DataStack(model: model, store: .inMemory).newBackgroundContext()
      try context.performAndWait {
        try context.insert(entityNamed: "Price")["amount"] = Decimal.nan
      }
    case .mainContextElsewhere, .mainContextSavedElsewhere:
      let stack = try DataStack(model: TestModels.social(), store: .inMemory)
      try stack.inBackground { context in
        if misuse == .mainContextElsewhere {
          _ = try stack.mainContext.fetch(Fetch<ManagedObject>(entityNamed: "User"))
        } else {
          try stack.mainContext.save()
        }
      }
    default: try commitInContext(misuse)
    }
  }

  private static func commitInContext(_ misuse: Misuse) throws {
    let stack = try DataStack(model: TestModels.social(), store: .inMemory)
    let strangers = try DataStack(model: TestModels.social(), store: .inMemory)
    let context = stack.newBackgroundContext()
    nonisolated(unsafe) var orphan: ManagedObject?
    do {
      try stack.inBackground { lost in
        orphan = try lost.make(misuse == .objectOfNoContext ? "Company" : "User")
        try lost.save()
        if misuse == .faultWithoutContext { lost.refreshAllObjects() }
      }
    }
    let other = misuse == .objectOfAnotherStack ? strangers : stack
    try other.inBackground { otherContext in
      let company = try otherContext.make("Company")
      let note = try otherContext.make("Note")
      try context.performAndWait {
        let user = try context.make("User")
        let own = try context.make("Company")
        let ownNote = try context.make("Note")
        try context.save()
        switch misuse {
        case .objectOfAnotherContext, .objectOfAnotherStack: user["company"] = company
        case .objectOfAnotherContextByKey: user.setValue(company, forKey: "company")
        case .objectOfNoContext: user["company"] = orphan
        case .memberOfAnotherContext: user["notes"] = Set([note])
        case .changeWithoutContext: orphan?["name"] = "x"
        case .faultWithoutContext: _ = orphan?["name"]
        case .changeAfterReset:
          context.reset()
          user["name"] = "x"
        case .deletedDestination:
          context.delete(own)
          user["company"] = own
        case .goneDestination:
          context.delete(own)
          try context.save()
          user["company"] = own
        case .deletedMember:
          context.delete(ownNote)
          user["notes"] = Set([ownNote])
        case .deletedOwner:
          context.delete(user)
          user["company"] = own
        case .changeOfWhatIsGone:
          context.delete(user)
          try context.save()
          user["name"] = "x"
        case .deletingForOthers: context.delete(company)
        case .refreshingForOthers: context.refresh(company)
        case .identifierOfAnotherModel:
          let vehicles = try DataStack(model: TestModels.vehicles(), store: .inMemory)
          let elsewhere = vehicles.newBackgroundContext()
          let id = try elsewhere.performAndWait { try elsewhere.make("Person").objectID }
          _ = context.object(with: id)
        case .temporaryIdentifierOfOthers: _ = context.object(with: company.objectID)
        case .noNumber: user["score"] = Double.nan
        case .noDate: user["createdAt"] = Date(timeIntervalSinceReferenceDate: .nan)
        case .truthAsNumber: user["age"] = true
        case .textAsNumber: user["age"] = "x"
        case .fractionAsNumber: user["age"] = 1.5
        case .numberAsText: user["name"] = 5
        case .textAsDate: user["createdAt"] = "today"
        case .valueOfNoType: user["name"] = stack
        case .objectAsList: user["notes"] = ownNote
        case .objectOfAnotherEntity: user["company"] = ownNote
        case .unknownKey: user["nme"] = "x"
        case .relationshipAsAttribute: _ = user.storedValue(forKey: "notes")
        case .entityWithoutClass: _ = context.insert(Stranger.self)
        case .classThatDoesNotFit: _ = context.insert(BadInputTests.WrongUser.self)
        default: break
        }
      }
    }
  }

  private final class Stranger: ManagedObject {}

  private static func commitInHook(_ misuse: Misuse) throws {
    let context = try DataStack(model: ManagedObjectModel(Meddler.self), store: .inMemory)
      .newBackgroundContext()
    try context.edit {
      func insert(_ object: Meddler) {
        let new = context.insert(Meddler.self)
        new.atWillSave = object.atWillSave
      }
      let object = context.insert(Meddler.self)
      switch misuse {
      case .saveInWillSave: object.atWillSave = { _ in try context.save() }
      case .saveInValidation: object.atValidation = { _ in try context.save() }
      case .saveInChangeObserver:
        _ = NotificationCenter.default.addObserver(
          forName: .managedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in #expect(throws: Never.self) { try context.save() } }
      case .endlessWillSave: object.atWillSave = { insert($0) }
      case .endlessAwake:
        Meddler.isEndless = true
        _ = context.insert(Meddler.self)
      case .endlessRefresh:
        object.name = "restless"
        try context.save()
        context.refresh(object, mergeChanges: false)
        _ = object.name
      case .endlessDidSave:
        object.atDidSave = {
          $0.count += 1
          try context.save()
        }
      case .endlessObserver:
        nonisolated(unsafe) let watched = object
        _ = NotificationCenter.default.addObserver(
          forName: .managedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in
          watched.count += 1
          context.processPendingChanges()
        }
        object.count += 1
        context.processPendingChanges()
      default: break
      }
    }
  }
}

/// An object whose hooks run bodies of a test.
final class Meddler: ManagedObject {
  typealias Hook = (Meddler) throws -> Void

  /// Whether the insertion of one inserts another. For exit tests only.
  nonisolated(unsafe) static var isEndless = false

  @Attribute var name: String?
  @Attribute var count: Int64 = 0
  @ToOne(inverse: "followers") var leader: Meddler?
  @ToMany(inverse: "leader") var followers: Set<Meddler>

  var atWillSave: Hook?
  var atDidSave: Hook?
  var atValidation: Hook?
  var atDeletion: Hook?

  override func awakeFromInsert() {
    if Meddler.isEndless { _ = managedObjectContext?.insert(Meddler.self) }
  }

  override func awakeFromFetch() {
    switch name {
    case "asleep": name = "awake"
    case "restless":
      managedObjectContext?.refresh(self, mergeChanges: false)
      _ = name
    default: break
    }
  }

  override func willSave() { run(atWillSave) }
  override func didSave() { run(atDidSave) }
  override func prepareForDeletion() { run(atDeletion) }

  override func validateForSave() throws {
    try super.validateForSave()
    try atValidation?(self)
  }

  private func run(_ hook: Hook?) {
    #expect(throws: Never.self) { try hook?(self) }
  }
}
