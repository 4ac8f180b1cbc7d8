import Foundation
import SyncGraph
import SyncStore
import TestSupport
import Testing

/// Objects that another context has deleted.
@Suite struct TombstoneTests {
  enum Kind: String, ValueConvertible { case large, small }

  final class Worker: ManagedObject {
    @Attribute var name: String?
    @ToMany(inverse: "worker", deleteRule: .cascade) var jobs: Set<Job>
  }

  final class Job: ManagedObject {
    @PrimaryKey var id: Int64
    @Attribute var title: String
    @Attribute var price: Double = 7
    @Attribute var isDone: Bool
    @Attribute var kind: Kind
    @Attribute var due: Date
    @Attribute var key: UUID
    @Attribute var place: URL
    @Attribute var sum: Decimal
    @Attribute var image: Data
    @Attribute var note: String?
    @ToOne var worker: Worker?
    @ToMany(inverse: "jobs") var tags: Set<Label>
  }

  final class Label: ManagedObject {
    @Attribute var name: String?
    @ToMany var jobs: Set<Job>
  }

  private let stack: DataStack
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext
  private let worker: ManagedObjectID
  private let job: ManagedObjectID

  init() throws {
    stack = try DataStack(
      model: ManagedObjectModel(Worker.self, Job.self, Label.self), store: .inMemory)
    context = stack.newBackgroundContext()
    let other = stack.newBackgroundContext()
    self.other = other
    (worker, job) = try other.performAndWait {
      let worker = other.insert(Worker.self)
      worker.name = "Ann"
      let job = other.insert(Job.self)
      job.id = 3
      job.title = "Dig"
      job.isDone = true
      job.kind = .small
      job.due = Date()
      job.key = UUID()
      job.place = URL(filePath: "/")
      job.sum = 3
      job.image = Data([1])
      job.worker = worker
      try other.save()
      return (worker.objectID, job.objectID)
    }
  }

  private func delete() throws {
    try other.edit { other.delete(other.object(with: worker)) }
  }

  private func expectNothing(_ job: Job) {
    #expect(job.isDeleted)
    #expect(job.id == 0 && job.title == "" && job.price == 7 && !job.isDone && job.kind == .large)
    #expect(job.sum == 0 && job.image.isEmpty && job.note == nil)
    _ = (job.due, job.key, job.place)
    #expect(job.worker == nil && job.tags.isEmpty && job["title"] == nil)
    let snapshot = job.snapshot()
    #expect(snapshot.$title == "" && snapshot.$id == 0 && snapshot.$kind == .large)
  }

  @Test func aFaultWhoseRowHasGoneGivesNothing() throws {
    try context.performAndWait {
      let ann = try context.existingObject(with: worker, as: Worker.self)
      let jobs = Array(ann.jobs)
      try delete()
      #expect(jobs.map(\.isDeleted) == [true])
      jobs.forEach(expectNothing)
    }
  }

  @Test func aFaultWhoseRowHasGoneIsReadWithoutLookingFirst() throws {
    try context.performAndWait {
      let ann = try context.existingObject(with: worker, as: Worker.self)
      let jobs = Array(ann.jobs)
      try delete()
      #expect(jobs.map(\.id) == [0])
      jobs.forEach(expectNothing)
    }
  }

  @Test func loadedOnesGiveNothingEither() throws {
    let kept: [ManagedObject] = try context.performAndWait {
      let ann = try context.existingObject(with: worker, as: Worker.self)
      let job = try #require(ann.jobs.first)
      #expect(job.title == "Dig")
      job.note = "mine"
      ann.name = "Mine"
      return Held(objects: [ann, job])
    }.objects
    try delete()
    context.performAndWait {
      guard let ann = kept[0] as? Worker, let job = kept[1] as? Job else { return }
      #expect(ann.isDeleted && ann.name == nil && ann.jobs.isEmpty && !context.hasChanges)
      expectNothing(job)
      #expect(job.changedValues().isEmpty)
    }
  }

  @Test func anEditOfAnObjectThatWasDeletedMeanwhileIsAConflict() throws {
    for edit in [
      { (job: Job, context: ManagedObjectContext) in job.tags = [context.insert(Label.self)] },
      { job, context in job.worker = context.insert(Worker.self) },
      { job, context in context.insert(Worker.self).jobs = [job] },
      { job, context in context.insert(Label.self).jobs.insert(job) },
      { job, _ in job.title = "Other" },
    ] {
      for policy in MergePolicy.allCases {
        let scene = try TombstoneTests()
        let (context, id) = (scene.context, scene.job)
        context.mergePolicy = policy
        try context.edit {
          guard let job = context.object(with: id) as? Job else { return }
          try scene.delete()
          edit(job, context)
          guard !policy.rawValue.hasPrefix("storeWins") else {
            try context.save()
            #expect(job.isDeleted)
            return
          }
          let error = #expect(throws: GraphError.self) { try context.save() }
          #expect(error?.code == .conflict && error?.conflicts.map(\.objectID).contains(id) == true)
          #expect(error?.conflicts.first { $0.objectID == id }?.stored == nil)
          context.rollback()
        }
        let problems = try scene.stack.store.read { try $0.checkConsistency() }
        #expect(problems.isEmpty)
      }
    }
  }
}
