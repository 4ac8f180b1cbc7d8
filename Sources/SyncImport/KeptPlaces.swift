import Foundation
import SyncCore

/// The state of the feeds of an import among the metadata of the store: a small value for each
/// feed, which every commit writes anew, and one for each list of places, which is written once.
struct KeptPlaces {
  /// The name of the import.
  let name: String

  private func key(_ feed: Feed) -> String { "import/\(name)/\(feed.name)" }

  private func key(_ feed: Feed, list: Int) -> String { "places \(list) of \(key(feed))" }

  /// The metadata that make the store know a step of a feed.
  func metadata(_ step: FeedQueue.Step, of feed: Feed) -> StoreMetadata {
    var metadata = StoreMetadata()
    metadata[key(feed)] = step.kept.flatMap(KeptPlaces.value)
    for number in step.removed { metadata[key(feed, list: number)] = nil }
    if let led = step.led {
      metadata[key(feed, list: led.number)] = KeptPlaces.value(led.places)
    }
    return metadata
  }

  /// The state of a feed, and those of its lists of places that can be read.
  func state(
    of feed: Feed, in metadata: StoreMetadata
  ) -> (kept: FeedQueue.Kept, lists: [FeedQueue.PlaceList])? {
    guard let kept: FeedQueue.Kept = KeptPlaces.read(metadata[key(feed)]) else { return nil }
    let lists = (kept.lists ?? []).compactMap { number in
      KeptPlaces.read(metadata[key(feed, list: number)]).map {
        FeedQueue.PlaceList(number: number, places: $0)
      }
    }
    return (kept, lists)
  }

  private static func value(_ state: some Encodable) -> Value? {
    (try? JSONEncoder().encode(state)).map { .string(String(decoding: $0, as: UTF8.self)) }
  }

  private static func read<State: Decodable>(_ value: Value?) -> State? {
    guard case .string(let text) = value else { return nil }
    return try? JSONDecoder().decode(State.self, from: Data(text.utf8))
  }
}
