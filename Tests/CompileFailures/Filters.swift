import SyncStack

// Typed filters know the names and the types of the properties that they compare.

// error: has no
let byUnknown = Fetch<User>(where: { $0.$nobody == 3 })
// error: has no member 'user'
let byUserOfAUser = Fetch<User>(where: { $0.$notes.user == nil })
