import Foundation
import SyncCore

/// An object that is shared with all below it.
public struct CloudShare: Sendable, Hashable {
  /// The zone in which it lies.
  public let zone: CloudZone

  /// A text that leads a participant to it: ``CloudEngine/accept(_:)``. It gives no rights: those
  /// have the accounts that it is shared with.
  public let invitation: String

  /// - Parameter account: The owner.
  init(_ zone: CloudZone, owner account: String) {
    let content: JSONValue = ["owner": .string(account), "zone": .string(zone.name)]
    self.zone = zone
    invitation = Self.mark + content.data().base64EncodedString()
  }

  private static let mark = "syncstack-share:"

  /// The zone to which an invitation leads.
  ///
  /// - Throws: ``CloudError`` with the code `notFound` when it is none.
  static func zone(of invitation: String) throws -> CloudZone {
    let text = invitation.trimmingCharacters(in: .whitespacesAndNewlines)
    let data = text.hasPrefix(mark) ? Data(base64Encoded: String(text.dropFirst(mark.count))) : nil
    guard let content = try? data.map({ try JSONValue(parsing: $0) }),
      let owner = content["owner"]?.stringValue, let name = content["zone"]?.stringValue,
      !owner.isEmpty, name.wholeMatch(of: /share-[0-9a-f]{8}-[A-Za-z0-9_-]{1,180}/) != nil
    else {
      throw CloudError(
        .notFound, message: "That is no invitation. It begins with \(mark) and is one word.")
    }
    return CloudZone(name, owner: owner)
  }
}
