import PureJOSEBenchmarking
import Testing

@Suite struct ArgumentListTests {
  @Test func takesFlagsAndValuesInAnyOrder() throws {
    var arguments = ArgumentList(["--json", "out.json", "--quick", "--filter", "p256"])
    #expect(try arguments.takeFlag("--quick"))
    #expect(try arguments.takeValue("--filter") == "p256")
    #expect(try arguments.takeValue("--json") == "out.json")
    #expect(try arguments.takeFlag("--help") == false)
    #expect(try arguments.takeValue("--compare") == nil)
    try arguments.finish()
  }

  @Test(arguments: [["--filter"], ["--filter", "--quick"], ["--filter", "a", "--filter", "b"]])
  func refusesAValueThatIsMissingOrDoubled(_ words: [String]) {
    var arguments = ArgumentList(words)
    #expect(throws: UsageError.self) { try arguments.takeValue("--filter") }
  }

  @Test func refusesADoubledFlag() {
    var arguments = ArgumentList(["--quick", "--quick"])
    #expect(throws: UsageError("--quick is given twice")) { try arguments.takeFlag("--quick") }
  }

  @Test func takesOperandsButNoOptions() throws {
    var arguments = ArgumentList(["one", "--report", "page", "two"])
    #expect(try arguments.takeValue("--report") == "page")
    #expect(try arguments.takeOperands() == ["one", "two"])
    try arguments.finish()
    var others = ArgumentList(["one", "--quik"])
    #expect(throws: UsageError("unknown argument '--quik'")) { try others.takeOperands() }
  }

  @Test func refusesWhatNobodyTook() {
    #expect(throws: UsageError("unknown argument 'sha256'")) { try ArgumentList(["sha256"]).finish() }
  }
}
