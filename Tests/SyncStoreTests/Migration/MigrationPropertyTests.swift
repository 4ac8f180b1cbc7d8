import Foundation
import SyncCore
import SyncStore
import TestSupport
import Testing

/// Random changes of a random model over random data, several times over: the store holds the data
/// of a plain description, is made like a new one, and takes new objects.
@Suite struct MigrationPropertyTests {
  @Test(arguments: 0..<40) func theDataSurvive(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var sketch = MigrationSketch(&random)
    let scene = try MigrationScene()
    for _ in 0..<4 {
      let model = try sketch.model()
      try scene.open(model) { store in
        try expectMadeLikeNew(store)
        try sketch.expectHolds(store)
        try sketch.fill(store, &random)
        try sketch.expectHolds(store)
      }
      sketch.forgetFormerNames()
      for _ in 0..<Int.random(in: 1...4, using: &random) { sketch.change(&random) }
    }
  }
}
