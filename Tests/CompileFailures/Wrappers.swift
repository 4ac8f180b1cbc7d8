import SyncStack

// Wrappers belong to objects, and to types that can be stored.

struct Plain {
  // error: Attributes belong into classes that inherit ManagedObject.
  @Attribute var name: String?
}

struct View {}

final class Shown: ManagedObject {
  // error: 'View' conform to 'ValueConvertible'
  @Attribute var view: View?
  // error: requires that 'String' inherit from 'ManagedObject'
  @ToMany var names: Set<String>
}

func put(_ user: User, _ note: Note) {
  // error: cannot convert value of type 'User' to expected argument type 'Note'
  user.notes.insert(user)
  // error: cannot assign value of type 'String' to type 'Int64'
  user.age = "1"
}
