/// In which place of the payload an object stands.
enum Role {
  /// At the top.
  case root
  /// Beside those at the top.
  case beside
  /// At the top, as the description of a stored row.
  case target(Int64)
  /// Under a to-one relationship.
  case toOne(Owner)
  /// In a list of which several owners may share the members.
  case shared(Owner)
  /// In the list of one owner, which its members have to themselves.
  case member(Owner)

  /// The object under whose relationship it stands.
  var owner: Owner? {
    switch self {
    case .root, .beside, .target: nil
    case .toOne(let owner), .shared(let owner), .member(let owner): owner
    }
  }
}

/// An object and the relationship of it that something stands under.
struct Owner: Hashable {
  let batch: Int
  /// Occurrence of the batch.
  let owner: Int32
  /// Relationship rule of the batch's node.
  let rule: Int
}
