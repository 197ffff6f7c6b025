import PureJOSEBenchmarking
import Testing

@Suite struct TableTests {
  @Test func alignsItsColumns() {
    var table = Table(["op", "time"])
    table.append(["sha256.64", "1 µs"])
    table.append(["x", "12.5 ns"])
    #expect(
      table.text == """
        | op        |    time |
        |-----------|--------:|
        | sha256.64 |    1 µs |
        | x         | 12.5 ns |
        """)
  }

  @Test(arguments: [(9.844, "9.84 ns"), (31_240, "31.2 µs"), (1_234_000, "1.23 ms"), (2e9, "2.00 s")])
  func durations(_ nanoseconds: Double, _ text: String) {
    #expect(NumberText.duration(nanoseconds: nanoseconds) == text)
  }

  @Test func otherNumbers() {
    #expect(NumberText.count(948) == "948")
    #expect(NumberText.count(101_000_000) == "101 M")
    #expect(NumberText.ratio(1.069) == "1.07")
    #expect(NumberText.spread(0.0131) == "± 1.3 %")
  }
}
