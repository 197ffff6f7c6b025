import JOSE
import Testing

@Suite struct DurationTests {
  private static let bound = 9_007_199_254_740_992.0

  @Test("seconds come back as they were said", arguments: [0, 1, -1, 0.5, -0.25, 600, 1_795_432_882, bound, -bound])
  func roundTrip(_ seconds: Double) {
    #expect(Duration(saturating: seconds).inSeconds == seconds)
    if let whole = Int64(exactly: seconds) { #expect(Duration(saturating: seconds) == .seconds(whole)) }
    #expect(Duration(saturating: seconds).wholeSeconds == Int(seconds))
  }

  @Test func `a fraction is the nearest number, whichever way it is said`() {
    #expect(Duration.milliseconds(10).inSeconds == 0.01)
    #expect(Duration.milliseconds(-1500).inSeconds == -1.5)
    for seconds in [1.68, 1.82, 0.0041, 0.1, 0.7, 1.99999] {
      #expect(Duration(saturating: seconds).inSeconds == seconds)
    }
  }

  @Test func `whole seconds are never rounded up`() {
    let almostFive = Duration(secondsComponent: 4, attosecondsComponent: 999_999_999_999_999_999)
    #expect(almostFive.wholeSeconds == 4)
    #expect((.zero - almostFive).wholeSeconds == -4)
  }

  @Test("a fraction that was said in seconds is read as the same duration", arguments: [447, 453, 8_352_899_825_601])
  func fractions(_ attoseconds: Int64) {
    let duration = Duration(secondsComponent: 0, attosecondsComponent: attoseconds)
    #expect(Duration(saturating: duration.inSeconds) == duration)
  }

  @Test func `a duration beyond the range of dates is clamped, and NaN becomes zero`() {
    for (seconds, cut) in [(1e300, Self.bound), (-1e300, -Self.bound), (.infinity, Self.bound), (.nan, 0)] {
      #expect(Duration(saturating: seconds).inSeconds == cut)
    }
    // More than 64 bits of seconds, and all that a duration can hold.
    let longest = Duration.seconds(1e20)
    #expect(longest.inSeconds == 0x1p63 && (Duration.zero - longest).inSeconds == -0x1p63)
  }

  @Test func `dates move by durations and stay dates`() {
    let date = NumericDate(1_700_000_000)
    #expect(date.advanced(by: .seconds(60)) == NumericDate(1_700_000_060))
    #expect(date.advanced(by: .seconds(-60)) == NumericDate(1_699_999_940))
    #expect(date.advanced(by: .milliseconds(250)).secondsSince1970 == 1_700_000_000.25)
    #expect(date.advanced(by: .seconds(1e20)).secondsSince1970 == Self.bound)
    #expect(date.advanced(by: .seconds(-1e20)).secondsSince1970 == -Self.bound)
  }
}
