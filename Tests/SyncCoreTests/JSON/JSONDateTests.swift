import Testing

@testable import SyncCore

/// Dates that are read as they are scanned are what their texts say.
@Suite struct JSONDateTests {
  @Test(arguments: [
    "2024-01-02", "2024-01-02T03:04:05Z", "2024-01-02 03:04", "2024-01-02T03:04:05.678+0200",
    "2024-13-02", "2024-01-0x", "2024-01-02T", "1234-5", "0000-00-00-0000",
    "2024-01-02 is the day on which it was all decided", "ä024-01-02", "2024-02-30",
  ])
  func aDateIsWhatItsTextSays(_ text: String) throws {
    let json = Array(#"["\#(text)", 1, "\#(text)"]"#.utf8)
    try json.withUnsafeBytes { bytes in
      var scanner = JSONScanner(bytes)
      scanner.notesDates = true
      let tape = JSONTape()
      for isAgain in [false, true] {
        scanner.position = 0
        try scanner.scanValue(into: tape, appending: isAgain)
        for index in 1..<tape.count where tape[index].kind == .string {
          let expected = DateText.parse(text)
          if tape[index].date > 0 {
            #expect(tape.date(tape[index].date) == expected)
          } else {
            #expect(expected == nil)
          }
        }
      }
    }
  }

  @Test func nobodyReadsDatesUnasked() throws {
    let json = Array(#"["2024-01-02", "2024-01\u002d02", {"2024-01-02": 1}]"#.utf8)
    try json.withUnsafeBytes { bytes in
      for notesDates in [false, true] {
        var scanner = JSONScanner(bytes)
        scanner.notesDates = notesDates
        let tape = JSONTape()
        try scanner.scanValue(into: tape)
        let dated = (0..<tape.count).filter { tape[$0].date > 0 }
        #expect(dated == (notesDates ? [1] : []))
      }
    }
  }
}
