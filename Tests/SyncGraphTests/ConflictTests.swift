import Dispatch
import SyncGraph
import TestSupport
import Testing

/// Saves of objects that another context has changed since they were read.
@Suite struct ConflictTests {
  private let stack: DataStack
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext
  private let id: ManagedObjectID

  init() throws {
    stack = try .social()
    context = stack.newBackgroundContext()
    let other = stack.newBackgroundContext()
    self.other = other
    id = try other.stored { other.insertUser(1, "Ann") }
  }

  private func editElsewhere(_ change: (User) throws -> Void) throws {
    try other.edit { try change(other.existingObject(with: id, as: User.self)) }
  }

  private func user() throws -> User { try context.existingObject(with: id, as: User.self) }

  private func stored() throws -> (name: String?, age: Int64, email: String?) {
    try other.performAndWait {
      let user = try other.existingObject(with: id, as: User.self)
      return (user.name, user.age, user.email)
    }
  }

  /// When the other's commit comes in between reading and saving.
  enum Moment: CaseIterable, Sendable {
    case insideABlock, fetchedMeanwhile, betweenBlocks
  }

  /// Reads the age, adds one, lets the other do the same, and saves.
  private func saveOvertaken(_ moment: Moment) throws {
    func edit() throws {
      let user = try user()
      user.age += 1
      user.name = "Mine"
    }
    func overtake() throws {
      try editElsewhere {
        $0.age += 1
        $0.email = "theirs"
      }
    }
    switch moment {
    case .insideABlock, .fetchedMeanwhile:
      try context.edit {
        try edit()
        try overtake()
        if moment == .fetchedMeanwhile {
          #expect(try context.fetch(Fetch<User>()).map(\.email) == [nil])
        }
      }
    case .betweenBlocks:
      try context.performAndWait { try edit() }
      try overtake()
      try context.edit { () throws in #expect(try user().email == "theirs" && user().age == 1) }
    }
  }

  @Test(arguments: Moment.allCases)
  func theErrorPolicyLosesNoUpdate(moment: Moment) throws {
    context.mergePolicy = .error
    let error = #expect(throws: GraphError.self) { try saveOvertaken(moment) }
    #expect(error?.code == .conflict)
    let conflict = try #require(error?.conflicts.first)
    #expect(conflict.committed["age"] == .int(0) && conflict.stored?["age"] == .int(1))
    #expect(conflict.edited == ["age": .int(1), "name": .string("Mine")])
    #expect(try stored() == ("Ann", 1, "theirs"))
  }

  @Test(arguments: Moment.allCases)
  func everyOtherPolicyDoesWhatItsNameSays(moment: Moment) throws {
    for policy in MergePolicy.allCases where policy != .error {
      let scene = try ConflictTests()
      scene.context.mergePolicy = policy
      try scene.saveOvertaken(moment)
      // Both set the age to 1. The rest shows which of them won.
      let found = try scene.stored()
      switch policy {
      case .error: break
      case .storeWins: #expect(found == ("Ann", 1, "theirs"), "\(policy)")
      case .storeWinsPerProperty, .objectWinsPerProperty:
        #expect(found == ("Mine", 1, "theirs"), "\(policy)")
      case .objectWins:
        // Between blocks the other's mail was merged: the context has it.
        let email = moment == .betweenBlocks ? "theirs" : nil
        #expect(found == ("Mine", 1, email), "\(policy)")
      }
    }
  }

  @Test(arguments: MergePolicy.allCases)
  func thePolicyDecidesAboutOneValueToo(policy: MergePolicy) throws {
    context.mergePolicy = policy
    try context.performAndWait {
      try user().name = "Mine"
      try editElsewhere { $0.name = "Theirs" }
      if policy == .error {
        #expect(throws: GraphError.self) { try context.save() }
      } else {
        try context.save()
      }
    }
    let isMine = policy == .objectWins || policy == .objectWinsPerProperty
    #expect(try stored().name == (isMine ? "Mine" : "Theirs"))
  }

  @Test func aDeletionDecidedOnOldValuesIsAConflictWhateverWasMerged() throws {
    context.mergePolicy = .error
    try context.performAndWait { context.delete(try user()) }
    try editElsewhere { $0.name = "Theirs" }
    context.performAndWait {
      #expect { try context.save() } throws: { ($0 as? GraphError)?.code == .conflict }
    }
    #expect(try stored().name == "Theirs")
  }

  @Test func valuesDoNotMoveUnderAnEdit() throws {
    try context.performAndWait {
      let user = try user()
      user.name = "Mine"
      try editElsewhere { $0.email = "theirs" }
      _ = try context.fetch(Fetch<User>())
      _ = try context.count(Fetch<User>())
      #expect(user.email == nil)
    }
    try context.performAndWait {
      let user = try user()
      #expect(user.email == "theirs" && user.name == "Mine")
    }
  }

  /// Edits of a child count as made when it saves, on what it shows then.
  @Test(arguments: [true, false])
  func aCommitThatAChildHasMergedIsNoConflict(isMerged: Bool) throws {
    let child = context.newChildContext()
    func edit() throws {
      try child.existingObject(with: id, as: User.self).name = "Mine"
    }
    // Contexts merge between two blocks.
    if isMerged {
      try child.performAndWait { try edit() }
      try editElsewhere { $0.name = "theirs" }
    }
    try child.performAndWait { () throws -> Void in
      if !isMerged {
        try edit()
        try editElsewhere { $0.name = "theirs" }
      }
      try child.save()
      if isMerged {
        #expect(try context.save().overruled.isEmpty)
      } else {
        let error = #expect(throws: GraphError.self) { try context.save() }
        #expect(error?.code == .conflict)
      }
    }
    #expect(try stored().name == (isMerged ? "Mine" : "theirs"))
  }

  @Test func whoReadsAgainMaySave() throws {
    context.mergePolicy = .error
    try context.edit {
      let user = try user()
      user.name = "Mine"
      try editElsewhere { $0.age = 7 }
      context.refresh(user)
      #expect(user.name == "Mine" && user.age == 7)
    }
    #expect(try stored() == ("Mine", 7, nil))
  }

  @Test func aRollbackForgetsTheConflict() throws {
    context.mergePolicy = .error
    try context.performAndWait { try user().name = "Mine" }
    try editElsewhere { $0.name = "Theirs" }
    try context.edit {
      #expect(throws: GraphError.self) { try context.save() }
      context.rollback()
      #expect(try user().name == "Theirs")
      try user().name = "Mine"
    }
    #expect(try stored().name == "Mine")
  }

  @Test func editsThatWereTakenBackAreNoConflict() throws {
    context.mergePolicy = .error
    try context.performAndWait { try user().name = "Mine" }
    try editElsewhere { $0.name = "Theirs" }
    try context.edit {
      try user().name = "Theirs"
      #expect(!context.hasChanges)
      try user().name = "Mine"
    }
    #expect(try stored().name == "Mine")
  }

  // MARK: - Again until it is right

  @Test func updateAndSaveCountsEveryIncrement() throws {
    let (stack, id) = (stack, id)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let context = stack.newBackgroundContext()
      context.performAndWait {
        for _ in 0..<25 {
          #expect(throws: Never.self) {
            try context.updateAndSave {
              try context.existingObject(with: id, as: User.self).age += 1
            }
          }
        }
      }
    }
    #expect(try stored().age == 100)
  }

  @Test func updateAndSaveRunsAgainWithTheNewestValues() throws {
    context.mergePolicy = .storeWins
    var seen: [Int64] = []
    try context.performAndWait {
      let result = try context.updateAndSave {
        let user = try user()
        seen.append(user.age)
        if seen.count < 3 { try editElsewhere { $0.age += 10 } }
        user.age += 1
        return user.age
      }
      #expect(result == 21)
    }
    #expect(seen == [0, 10, 20] && context.mergePolicy == .storeWins)
    #expect(try stored().age == 21)
  }

  @Test func updateAndSaveGivesUpAndTakesBack() throws {
    struct Failure: Error {}
    context.performAndWait {
      #expect {
        try context.updateAndSave(attempts: 2) {
          try user().name = "Mine"
          try editElsewhere { $0.age += 1 }
        }
      } throws: { ($0 as? GraphError)?.code == .conflict && !context.hasChanges }
      #expect(throws: Failure.self) {
        try context.updateAndSave {
          try user().name = "Mine"
          throw Failure()
        }
      }
      #expect(!context.hasChanges)
    }
    #expect(try stored() == ("Ann", 2, nil))
  }
}
