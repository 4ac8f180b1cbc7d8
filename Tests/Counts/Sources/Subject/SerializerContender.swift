public import Measuring
import SyncStack

/// Users and their notes, said by hand instead of by convention.
public class SerializerContender: SyncStackContender {
  public override class func takesPart(in set: DataSet) -> Bool { set == .users }

  override func operation(_ payload: SyncPayload, _ entity: String, _ stack: DataStack) -> Sync {
    Sync(payload, with: serializer, dataStack: stack)
  }

  var serializer: EntitySerializer<ManagedObject> {
    var users = EntitySerializer(entityNamed: "User")
    users.identifiers = ["id"]
    users.mapping = [
      "id": .int("id"), "name": .string("name"), "email": .string("email"),
      "phone": .string("phone"), "city": .string("city"), "bio": .string("bio"),
      // Some of the dates have no zone, which only the type of the attribute takes.
      "createdAt": .raw("created_at"), "updatedAt": .raw("updated_at"),
      "score": .double("score"), "isActive": .bool("is_active"),
      "notes": .toMany("notes") {
        var notes = EntitySerializer(entityNamed: "Note")
        notes.identifiers = ["id"]
        notes.mapping = [
          "id": .int("id"), "text": .string("text"), "createdAt": .raw("created_at"),
        ]
        return notes
      },
    ]
    return users
  }
}

/// The same without fingerprints.
public final class PlainSerializerContender: SerializerContender {
  override class var usesFingerprints: Bool { false }
}

/// The same with a validator that looks at each user and keeps it.
public final class ValidatorContender: SerializerContender {
  override var serializer: EntitySerializer<ManagedObject> {
    var users = super.serializer
    users.validators = [{ $0["id"] == nil ? nil : $0 }]
    return users
  }
}

/// The same with a closure that makes one text of each user.
public final class CustomRuleContender: SerializerContender {
  override var serializer: EntitySerializer<ManagedObject> {
    var users = super.serializer
    users.mapping["city"] = .custom("city") { $0.stringValue }
    return users
  }
}
