import JOSE
import PlatformSSOKit
import PureCrypto

/// Many Macs against one server: they register, log in, and then live some days each, in groups whose requests go out
/// together, several groups at a time.
struct FleetRun: Sendable {
  struct Plan: Sendable {
    var dayCount = 3
    /// How many Macs' requests go out together.
    var groupSize = 32
    /// How many groups are under way at a time.
    var groupsAtOnce = 4
    /// Of a thousand answers, how many never reach their Mac.
    var lostAnswersOfThousand = 10
    /// Decides what each Mac does when.
    var seed: UInt64 = 1
    /// How often a request is sent again that the server could not answer.
    var attempts = 3
  }

  let transport: any DoctorTransport
  let idTokenKeys: JWKSet
  let plan: Plan
  /// Makes the registration of a Mac, whose number is given.
  let registration: @Sendable (FleetMac, Int) throws(JOSEError) -> HTTPRequestValue
  /// Is told how many Macs have done how many days.
  var progress: @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }

  /// Lets all Macs live their days.
  func live(_ macs: [FleetMac]) async -> FleetReport {
    let groups = stride(from: 0, to: macs.count, by: plan.groupSize).map { start in
      (start, Array(macs[start..<min(start + plan.groupSize, macs.count)]))
    }
    var report = FleetReport()
    var (waiting, done) = (groups[...], 0)
    await withTaskGroup(of: (Int, FleetReport).self) { tasks in
      func begin() {
        guard let (start, group) = waiting.popFirst() else { return }
        tasks.addTask { (group.count, await live(group, from: start)) }
      }
      for _ in 0..<plan.groupsAtOnce { begin() }
      while let (count, some) = await tasks.next() {
        report.add(some)
        done += count
        progress(done, macs.count)
        begin()
      }
    }
    return report
  }

  // MARK: A group

  /// What a group is in the middle of.
  private struct Group {
    var macs: [FleetMac]
    let start: Int
    var random: FleetRandom
    var report = FleetReport()
    /// Macs that the server has refused, and which do nothing any more.
    var ended: Set<Int> = []
  }

  private func live(_ macs: [FleetMac], from start: Int) async -> FleetReport {
    var group = Group(macs: macs, start: start, random: FleetRandom(state: plan.seed &+ UInt64(start)))
    await act(&group, macs.indices.map { ($0, .registration) })
    await act(&group, macs.indices.map { ($0, .login) })
    for _ in 0..<plan.dayCount {
      let day = group.macs.indices.map { index -> (Int, FleetAct) in
        // Unlocks refresh most often; LoginFrequency is reached now and then.
        let wanted: FleetAct =
          switch group.random.next(below: 100) {
          case 0..<55: .refresh
          case 55..<65: .unlockKey
          case 65..<92: .exchange
          default: .login
          }
        return (index, group.macs[index].possible(wanted))
      }
      await act(&group, day)
    }
    return group.report
  }

  /// Does one act for each Mac, again where the answer gets lost or the server is at fault.
  private func act(_ group: inout Group, _ acts: [(mac: Int, act: FleetAct)]) async {
    var open = acts.filter { !group.ended.contains($0.mac) }
    var isAgain = false
    for attempt in 1...plan.attempts where !open.isEmpty {
      open = await step(&group, open, isAgain: isAgain, isLast: attempt == plan.attempts)
      isAgain = true
    }
  }

  /// Sends a request of each Mac.
  ///
  /// - Returns: those that are to be sent again.
  private func step(
    _ group: inout Group, _ acts: [(mac: Int, act: FleetAct)], isAgain: Bool, isLast: Bool
  ) async -> [(mac: Int, act: FleetAct)] {
    var asked: [(mac: Int, act: FleetAct, request: HTTPRequestValue, signed: FleetMac.Asked?)] = []
    var again: [(mac: Int, act: FleetAct)] = []
    func fault(_ one: (mac: Int, act: FleetAct), _ text: String, _ group: inout Group) {
      guard isLast else { return again.append(one) }
      group.report.noteLoss("\(one.act.rawValue), \(text)")
      group.ended.insert(one.mac)
    }
    let signing = acts.filter { $0.act != .registration }
    for one in acts where one.act == .registration {
      do {
        asked.append((one.mac, one.act, try registration(group.macs[one.mac], group.start + one.mac), nil))
      } catch {
        fault(one, "\(error.code)", &group)
      }
    }
    let nonceRequests = signing.map { group.macs[$0.mac].device.serverNonceRequest() }
    let given = await timed(nonceRequests, &group.report) { _ in "nonce" }
    for (one, (request, answer)) in zip(signing, zip(nonceRequests, given)) {
      do {
        let mac = group.macs[one.mac]
        let nonces = try mac.device.requestNonces(from: answer.get(), to: request)
        let signed = try mac.asked(one.act, nonces: nonces)
        asked.append((one.mac, one.act, signed.request.httpRequest, signed))
      } catch {
        fault(one, "nonce: \(DoctorRun.described(error))", &group)
      }
    }
    let kinds = asked.map(\.act.rawValue)
    let answers = await timed(asked.map(\.request), &group.report) { kinds[$0] }
    for (one, answer) in zip(asked, answers) {
      guard case .success(let response) = answer, response.status < 500, response.status != 429 else {
        let text = if case .success(let response) = answer { "\(response.status)" } else { "no answer" }
        fault((one.mac, one.act), text, &group)
        continue
      }
      if isAgain { group.report.noteRetry(one.act) }
      // What the Mac never gets, it asks for again, with the token that it still has.
      if !isLast, response.status < 300, group.random.next(below: 1000) < plan.lostAnswersOfThousand {
        group.report.noteLostAnswer(one.act)
        again.append((one.mac, one.act))
        continue
      }
      guard response.status < 300 else {
        group.report.noteLoss("\(one.act.rawValue), \(response.status)")
        group.ended.insert(one.mac)
        continue
      }
      guard let signed = one.signed else { continue }
      do throws(JOSEError) {
        if let contradiction = try group.macs[one.mac].take(response, to: signed, idTokenKeys) {
          group.report.noteContradiction("\(one.act.rawValue), \(contradiction)")
        }
      } catch {
        group.report.noteLoss("\(one.act.rawValue), \(DoctorRun.described(error))")
        group.ended.insert(one.mac)
      }
    }
    return again
  }

  /// Sends requests, and notes how long each took.
  private func timed(
    _ requests: [HTTPRequestValue], _ report: inout FleetReport, _ kind: (Int) -> String
  ) async -> [Result<HTTPResponseValue, CommandFailure>] {
    guard !requests.isEmpty else { return [] }
    let answers = await transport.timed(requests)
    for (index, answer) in answers.enumerated() { report.note(kind(index), took: answer.took) }
    return answers.map(\.answer)
  }
}

/// Numbers that look random and are the same for the same seed: SplitMix64.
struct FleetRandom: Sendable {
  var state: UInt64

  mutating func next(below bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z &>> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z &>> 31)) % UInt64(bound))
  }
}
