import Foundation
import SyncCloud
import SyncStack

/// A picture travels as a file: sent once, fetched when it is wanted, removed here when room is
/// needed.
extension SharedNotes {
  static func carryPicture(from phone: Machine, to laptop: Machine) async throws {
    print("\nThe phone takes a picture.")
    let picture = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
    try await phone.note { $0.photo = picture }
    try await phone.sync()
    try await laptop.sync()
    let note = try await laptop.firstNote()
    try laptop.showPicture(of: note)
    let progress = Progress(totalUnitCount: 0)
    try await laptop.cloud.fetchAsset(of: note, "photo", progress: progress)
    try laptop.showPicture(of: note)
    let isSame = try await laptop.photo() == picture
    print(
      "laptop fetched \(progress.completedUnitCount) bytes, \(isSame ? "the same" : "other ones")")
    let freed = try await laptop.cloud.evictAssets(keeping: 0)
    print("laptop makes room: \(freed) bytes went")
    try laptop.showPicture(of: note)
  }
}

extension Machine {
  fileprivate func firstNote() async throws -> ManagedObjectID {
    let context = stack.newBackgroundContext()
    return try await context.perform {
      try context.identifiers(Fetch<SharedNotes.Note>())[0]
    }
  }

  fileprivate func photo() async throws -> Data? {
    let context = stack.newBackgroundContext()
    return try await context.perform { try context.fetch(Fetch<SharedNotes.Note>()).first?.photo }
  }

  fileprivate func showPicture(of note: ManagedObjectID) throws {
    let state = try cloud.assetState(of: note, "photo").map { "\($0)" } ?? "nowhere"
    print("\(name): the picture is \(state)")
  }
}
