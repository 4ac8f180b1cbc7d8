import Testing

@testable import SyncStackTool

@Suite struct ArgumentsTests {
  enum Colour: String, CaseIterable { case red, green }

  let syntax = CommandSyntax(
    name: "paint", summary: "Paints.",
    operands: [.init("FILE", "what"), .init("FRAME", required: false, "its frame")],
    options: [
      .init("--colour", value: "NAME", required: true, "the colour"),
      .init("--coats", value: "N", "how many"),
      .init("--dry", "only says so"),
    ], example: "syncstack move --dry")

  func read(_ line: String) throws -> Arguments {
    try Arguments(line.split(separator: " ").map(String.init), syntax: syntax)
  }

  @Test(arguments: [
    "wall --colour red --coats 2 --dry", "--dry --coats=2 --colour=red wall",
    "--colour red --coats 2 --dry -- wall",
  ])
  func readsOptionsAndOperandsInAnyOrder(line: String) throws {
    let arguments = try read(line)
    #expect(arguments.operands == ["wall"])
    #expect(try arguments.choice("--colour") == Colour.red)
    #expect(try arguments.count("--coats") == 2)
    #expect(arguments.has("--dry"))
  }

  @Test func keepsWhatLooksLikeAnOptionBehindTwoHyphens() throws {
    #expect(try read("--colour red -- --dry --wet").operands == ["--dry", "--wet"])
  }

  @Test func takesASingleHyphenAsAnOperandAndANegativeNumberAsAValue() throws {
    #expect(try read("- --colour red").operands == ["-"])
    #expect(try read("wall --colour -1")["--colour"] == "-1")
  }

  @Test func keepsEqualSignsInsideAValue() throws {
    #expect(try read("wall --colour=a=b")["--colour"] == "a=b")
  }

  @Test func saysNothingWasGiven() throws {
    let arguments = try read("wall --colour red")
    #expect(!arguments.has("--dry"))
    #expect(arguments["--coats"] == nil)
    #expect(try arguments.count("--coats") == nil)
  }

  @Test(arguments: [
    ("wall --color red", "There is no option --color. Did you mean --colour?"),
    ("wall --shape round", "There is no option --shape."),
    ("wall --colour red --colour green", "--colour was given twice."),
    ("wall --colour", "--colour needs a value: --colour NAME."),
    ("wall --colour --dry", "--colour needs a value: --colour NAME."),
    ("wall --colour red --dry=yes", "--dry takes no value."),
    ("--colour red", "FILE is missing."),
    ("wall", "--colour NAME is missing."),
    ("wall frame nail --colour red", "“nail” is one word too many."),
  ])
  func refusesWhatMakesNoSense(line: String, message: String) {
    let error = #expect(throws: UsageError.self) { try read(line) }
    #expect(error?.message == message)
    #expect(error?.description.hasSuffix("Run 'syncstack help paint' for the options.") == true)
  }

  @Test func refusesValuesOfTheWrongKind() throws {
    let arguments = try read("wall --colour blue --coats two")
    #expect(throws: UsageError.self) { try arguments.choice("--colour", as: Colour.self) }
    #expect(throws: UsageError.self) { try arguments.count("--coats") }
  }

  @Test func makesTheHelpOfTheSyntax() {
    #expect(
      HelpText(syntax: syntax).text() == """
        Paints.

          syncstack paint FILE [FRAME] --colour NAME [--coats N] [--dry]

          FILE           what
          FRAME          its frame
          --colour NAME  the colour
          --coats N      how many
          --dry          only says so

        Example:
          syncstack move --dry

        """)
  }
}
