import Foundation
import SyncStack
import Testing

@testable import SyncStackTool

/// A refusal names the option to type, and names it once.
@Suite struct RefusalTests {
  static let payloads: [(json: String, place: String?)] = [
    (#"{"data": {"users": [{"id": 3}]}}"#, "--at data.users takes that."),
    (
      #"{"data": {"users": [{"id": 3}], "others": [{"id": 4}]}}"#,
      "--at data.users takes the first."
    ),
    (#"{"my data": [{"id": 3}]}"#, "--at 'my data' takes that."),
    (#"{"error": "no"}"#, nil),
    ("[]", nil),
  ]

  @Test(arguments: payloads, [true, false])
  func aPayloadOfWhichNothingCanBeUsedNamesTheOptionNotTheParameter(
    _ payload: (json: String, place: String?), _ isStored: Bool
  ) async throws {
    let bench = try ToolBench()
    let model = try bench.file("model.xml", BadInputTests.model)
    let words = ["--model", model, "--entity", "User"]
    let store = words + ["--store", bench.store]
    if isStored {
      let good = try bench.file("good.json", #"[{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]"#)
      #expect(await bench.run(["import", good] + store + ["--guard", "empty=0"]).code == .done)
    }
    let file = try bench.file("document.json", payload.json)
    let refused = await bench.run(["import", file] + store + ["--guard", "empty=0"])
    let examined = await bench.run(["doctor", file] + words)
    #expect(examined.code == .failed)
    #expect(refused.code == (isStored || payload.json != "[]" ? .failed : .done))
    for text in [refused.error, examined.output] where !text.isEmpty {
      #expect(!text.contains("at:"), "\(text)")
      if let place = payload.place {
        #expect(text.contains(place), "\(text)")
        #expect(text.ranges(of: "--at").count == 1, "\(text)")
        #expect(text.ranges(of: "The document is one object").count == 1, "\(text)")
      }
    }
  }

  @Test(arguments: [
    (String(repeating: "[", count: 600), "nest deeper", "maximumDepth"),
    (#"{"error": "x"}"#, "The only item cannot be used", "--on-error"),
  ])
  func adviceThatCannotBeFollowedHereIsLeftOut(
    _ json: String, _ fault: String, _ advice: String
  ) async throws {
    let bench = try ToolBench()
    let result = await bench.run(
      "import", try bench.file("a.json", json), "--model",
      try bench.file("model.xml", BadInputTests.model), "--entity", "User", "--store", bench.store,
      "--on-error", "skip")
    expect(result, .failed, error: fault)
    #expect(!result.error.contains(advice), "\(result.error)")
  }

  @Test func aRemarkOnTheMappingIsSaidOnceHoweverManyFilesThereAre() async throws {
    let bench = try ToolBench()
    let model = try bench.file(
      "model.xml",
      """
      <model><entity name="User">
        <attribute name="id" attributeType="Integer 64"/>
        <attribute name="name" optional="YES" attributeType="String">
          <userInfo><entry key="sync.whenMissing" value="never"/></userInfo>
        </attribute>
      </entity></model>
      """)
    let files = try (1...3).map { try bench.file("\($0).json", #"[{"id": \#($0), "name": "n"}]"#) }
    let words = ["--model", model, "--entity", "User"]
    let result = await bench.run(["import"] + files + words + ["--store", bench.store])
    #expect(result.code == .done, "\(result.error)")
    #expect(result.output.ranges(of: "“sync.whenMissing” is one of").count == 1, "\(result.output)")
    let examined = await bench.run(["doctor"] + files + words)
    #expect(examined.output.ranges(of: "“sync.whenMissing” is one of").count == 1)
  }
}
