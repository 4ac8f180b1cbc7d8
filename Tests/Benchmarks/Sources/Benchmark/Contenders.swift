import Floor
import Measuring
import Rivals
import Subject

/// Everything that takes part, by the name it has in tables and arguments. The first is the
/// measure.
enum Contenders {
  static let names = ["floor", "syncstack", "syncstack-plain", "grdb-best", "grdb"]

  static func type(_ name: String) -> (any Contender.Type)? {
    switch name {
    case "floor": FloorContender.self
    case "syncstack": SyncStackContender.self
    case "syncstack-plain": PlainSyncStackContender.self
    case "grdb-best": BestGRDB.self
    case "grdb": IdiomaticGRDB.self
    default: nil
    }
  }
}
