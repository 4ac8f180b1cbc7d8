public import Foundation

extension LoopbackServer {
  /// A request of a client.
  public struct Request: Sendable {
    public let method: String
    public let path: String
    /// Items of the query by name.
    public let query: [String: String]
    /// Fields of the head by name, in small letters.
    public let headers: [String: String]
    public let body: Data
    /// How often the same page was asked for before.
    public let repetition: Int
  }

  /// The answer to one request.
  public struct Answer: Sendable {
    public var status = 200
    public var headers: [String: String] = [:]
    public var pieces: [Data] = []
    /// The length that is announced, when it is not that of the pieces.
    public var announcedLength: Int?
    /// Called before each piece is sent, with its number.
    public var beforePiece: (@Sendable (Int) -> Void)?

    /// A document.
    public static func json(
      _ text: String, status: Int = 200, headers: [String: String] = [:]
    ) -> Answer {
      Answer(status: status, headers: headers, pieces: [Data(text.utf8)])
    }

    /// A status without a document.
    public static func status(_ status: Int, headers: [String: String] = [:]) -> Answer {
      Answer(status: status, headers: headers)
    }

    /// The same answer in pieces of so many bytes.
    public func inPieces(of size: Int, before: (@Sendable (Int) -> Void)? = nil) -> Answer {
      let whole = pieces.reduce(Data(), +)
      var answer = self
      answer.pieces = stride(from: 0, to: whole.count, by: size).map {
        whole[$0..<Swift.min($0 + size, whole.count)]
      }
      answer.beforePiece = before
      return answer
    }
  }
}
