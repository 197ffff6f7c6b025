import PureJOSEBenchmarking
import Testing

@Suite struct StatisticsTests {
  @Test func ofOneSample() {
    let statistics = Statistics([7])
    #expect(statistics.minimum == 7 && statistics.lowerQuartile == 7)
    #expect(statistics.median == 7 && statistics.upperQuartile == 7)
    #expect(statistics.spread == 0)
  }

  @Test func ofAnOddNumberInAnyOrder() {
    let statistics = Statistics([50, 10, 40, 20, 30])
    #expect(statistics.minimum == 10)
    #expect(statistics.lowerQuartile == 20)
    #expect(statistics.median == 30)
    #expect(statistics.upperQuartile == 40)
    #expect(statistics.spread == 1.0 / 3)
  }

  @Test func interpolatesBetweenSamples() {
    let statistics = Statistics([4, 1, 3, 2])
    #expect(statistics.lowerQuartile == 1.75)
    #expect(statistics.median == 2.5)
    #expect(statistics.upperQuartile == 3.25)
  }

  @Test func anOutlierLeavesThemAlone() {
    #expect(Statistics([1, 2, 3, 4, 5]).median == Statistics([1, 2, 3, 4, 5000]).median)
    #expect(Statistics([1, 2, 3, 4, 5]).upperQuartile == Statistics([1, 2, 3, 4, 5000]).upperQuartile)
  }
}
