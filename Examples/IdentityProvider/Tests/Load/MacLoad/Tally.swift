/// What came of one kind of message.
struct Tally: CustomStringConvertible {
  private var waits: [Duration] = []
  private var refused = 0
  private var elapsed = Duration.zero

  /// Lets each Mac send until the time is over.
  static func of(
    _ macs: some Sequence<LoadingMac>, sending message: LoadingMac.Message, for seconds: Double
  ) async -> Tally {
    let clock = ContinuousClock()
    let begin = clock.now
    let end = begin + .seconds(seconds)
    return await withTaskGroup(of: Tally.self) { group in
      for mac in macs {
        group.addTask {
          var own = Tally()
          while clock.now < end {
            do {
              own.waits.append(try await mac.send(message))
            } catch {
              own.refused += 1
            }
          }
          return own
        }
      }
      var all = Tally()
      for await own in group {
        all.waits += own.waits
        all.refused += own.refused
      }
      all.waits.sort()
      all.elapsed = clock.now - begin
      return all
    }
  }

  /// How many were answered and refused, how many were answered in a second, and the milliseconds that half of them and
  /// 99 in 100 waited at most.
  var description: String {
    func milliseconds(_ part: Double) -> Double {
      waits.isEmpty ? 0 : waits[Int(Double(waits.count - 1) * part)] / .milliseconds(1)
    }
    let rate = Double(waits.count) / (elapsed / .seconds(1))
    return "\(waits.count) \(refused) \(rate) \(milliseconds(0.5)) \(milliseconds(0.99))"
  }
}
