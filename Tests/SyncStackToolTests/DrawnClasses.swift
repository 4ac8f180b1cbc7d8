// All but keys is optional, for a later answer may lack it. What an item leaves out stays as it was; sync.whenMissing = clear at an attribute or an entity empties it.
import Foundation
import SyncStack

// From 3 objects.
final class Issue: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var nodeID: String?
  @Attribute var url: URL?
  @Attribute var labelsURL: String?
  @Attribute var number: Int64?
  @Attribute var title: String?
  @Attribute var state: String?
  @Attribute var locked: Bool?
  @Attribute var comments: Int64?
  @Attribute var createdAt: Date?
  @Attribute var updatedAt: Date?
  @Attribute var closedAt: Date?
  @Attribute var authorAssociation: String?
  @Attribute var body: String?
  // performedViaApp: null everywhere: kept as JSON, which takes whatever comes
  @Attribute var performedViaApp: JSONValue?
  // reactions: an object whose keys look like data, kept as JSON
  @Attribute var reactions: JSONValue?
  @Attribute(remoteKey: "pull_request.url") var pullRequestURL: URL?
  // pullRequestMergedAt: null everywhere, so the type is a guess
  @Attribute(remoteKey: "pull_request.merged_at") var pullRequestMergedAt: String?
  @ToOne(inverse: "issues") var user: User?
  // labels: several owners list the same objects; its order is not kept, which an ordered relationship would do
  @ToMany(inverse: "issues") var labels: Set<Label>
  @ToOne(inverse: "issuesAsAssignee") var assignee: User?
  // assignees: nothing shows that each has one owner, so several may list it; its order is not kept, which an ordered relationship would do
  @ToMany(inverse: "issuesAsAssignees") var assignees: Set<User>
  @ToOne(inverse: "issues") var milestone: Milestone?
}

// From 6 objects.
// What stands at Issue.user, Issue.assignee, Issue.assignees, Milestone.creator.
final class User: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var login: String?
  @Attribute var nodeID: String?
  @Attribute var avatarURL: URL?
  @Attribute var type: String?
  @Attribute var siteAdmin: Bool?
  // issues: not in the payload: the way back from Issue.user
  @ToMany(inverse: "user") var issues: Set<Issue>
  // issuesAsAssignee: not in the payload: the way back from Issue.assignee
  @ToMany(inverse: "assignee") var issuesAsAssignee: Set<Issue>
  // issuesAsAssignees: not in the payload: the way back from Issue.assignees
  @ToMany(inverse: "assignees") var issuesAsAssignees: Set<Issue>
  // milestones: not in the payload: the way back from Milestone.creator
  @ToMany(inverse: "creator") var milestones: Set<Milestone>
}

// From 3 objects.
final class Label: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var nodeID: String?
  @Attribute var url: URL?
  @Attribute var name: String?
  @Attribute var color: String?
  @Attribute(remoteKey: "default") var labelDefault: Bool?
  @Attribute var labelDescription: String?
  // issues: not in the payload: the way back from Issue.labels
  @ToMany(inverse: "labels") var issues: Set<Issue>
}

// From 1 object.
final class Milestone: ManagedObject {
  @PrimaryKey var id: Int64
  @Attribute var number: Int64?
  @Attribute var title: String?
  @Attribute var dueOn: Date?
  @Attribute var openIssues: Int64?
  @ToOne(inverse: "milestones") var creator: User?
  // issues: not in the payload: the way back from Issue.milestone
  @ToMany(inverse: "milestone") var issues: Set<Issue>
}

// let model = try ManagedObjectModel(Issue.self, User.self, Label.self, Milestone.self)
