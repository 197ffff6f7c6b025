import JOSE
import Synchronization
import Testing

@testable import PlatformSSOKit
@testable import PureJOSECommand

@Suite("jose psso doctor, a second Mac")
struct DoctorSecondMacTests {
  /// What a server does with a request that it has answered.
  typealias Change = @Sendable (_ request: Asked, _ response: HTTPResponseValue) -> HTTPResponseValue

  /// A request, and what was there before.
  struct Asked: Sendable {
    let request: HTTPRequestValue
    /// Whether another Mac than the doctor's first one has signed it.
    let isOfSecondMac: Bool
    /// How many registrations have been answered with a success.
    let registrationCount: Int
    let hasSecondLogin: Bool
    /// The last answer of 200 that was a token.
    let lastAnswer: HTTPResponseValue?

    var isRegistration: Bool { request.url.hasSuffix("/register") }
    /// The kind of a signed request.
    var type: String? {
      let form = try? request.form()
      let token = (form?.values("assertion").first).flatMap { try? UnverifiedJWS(parsing: $0) }
      return token?.unverifiedHeader.type
    }
  }

  final class Server: DoctorTransport {
    private let base: OwnProvider
    private let firstKey: String
    private let change: Change
    private let state = Mutex<(registrations: Int, hasLogin: Bool, last: HTTPResponseValue?)>((0, false, nil))

    init(_ base: OwnProvider, _ device: PlatformSSODevice, _ change: @escaping Change) {
      (self.base, firstKey, self.change) = (base, device.keys.signingKeyID.text, change)
    }

    func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
      let response = try await base.send(request)
      let form = try? request.form()
      let key = (form?.values("assertion").first).flatMap { try? UnverifiedJWS(parsing: $0) }?.unverifiedHeader.keyID
      let isOther = key != nil && key != firstKey
      let known = state.withLock(\.self)
      let asked = Asked(
        request: request, isOfSecondMac: isOther, registrationCount: known.registrations,
        hasSecondLogin: known.hasLogin, lastAnswer: known.last)
      state.withLock { state in
        if asked.isRegistration, response.status == 201 { state.registrations += 1 }
        if response.status == 200, response.body.count(where: { $0 == 0x2E }) == 4 {
          state.last = response
          if isOther { state.hasLogin = true }
        }
      }
      return change(asked, response)
    }
  }

  private func rows(
    registration: RegistrationPolicy? = nil, _ change: @escaping Change = { _, response in response }
  ) async throws -> (all: [String: DoctorFinding.Verdict], bad: Set<String>) {
    let (provider, subject) = try await OwnProvider.make(clock: .standing, registration: registration)
    var run = DoctorRun(
      subject: subject, transport: Server(provider, subject.device, change), extent: DoctorRun.Extent(isQuick: true))
    let found = try await run.examine().findings.filter { ["registration", "second Mac"].contains($0.part) }
    let bad = found.filter { [.wrong, .lenient].contains($0.verdict) }
    return (
      Dictionary(found.map { ($0.name, $0.verdict) }, uniquingKeysWith: { first, _ in first }), Set(bad.map(\.name))
    )
  }

  @Test("The package's own provider keeps two Macs apart")
  func sound() async throws {
    let (all, bad) = try await rows()
    #expect(bad == [] && all.count == 12, "\(bad), \(all.count)")
    #expect(all.values.allSatisfy { $0 == .right })
  }

  @Test("A server that registers anybody is wrong")
  func admitsAnybody() async throws {
    let (_, bad) = try await rows(registration: RegistrationPolicy { _ in true })
    #expect(bad == ["registration: no token", "registration: another token"])
  }

  @Test("A server that gives a Mac's name to other keys is lenient, and the Mac goes on with its own")
  func givesNames() async throws {
    let token = OwnProvider.registrationToken
    let policy = RegistrationPolicy(admits: { $0.registrationToken == token }, approves: { _, _ in true })
    let (all, bad) = try await rows(registration: policy)
    #expect(bad == ["registration: other keys under its name"])
    #expect(all["second Mac: login"] == .right)
  }

  @Test("A server that fails at a body, or refuses what comes again, is found out")
  func bodies() async throws {
    let failing = try await rows { asked, response in
      asked.isRegistration && response.status == 400 ? HTTPResponseValue(status: 500) : response
    }
    #expect(failing.bad == ["registration: an empty body", "registration: half a body"])
    let once = try await rows { asked, response in
      asked.isRegistration && asked.registrationCount > 0 ? HTTPResponseValue(status: 409) : response
    }
    #expect(once.bad == ["registration: the same again"])
  }

  @Test("A server that wants an attestation has one row, which is skipped")
  func attested() async throws {
    let (all, bad) = try await rows(registration: RegistrationPolicy { _ in false })
    #expect(bad == [] && all["registration: answered"] == .skipped && all["second Mac: login"] == nil)
  }

  @Test("A server that lets a user log in on one Mac alone is wrong")
  func oneMac() async throws {
    let (_, bad) = try await rows { asked, response in
      asked.isOfSecondMac ? HTTPResponseValue(status: 403) : response
    }
    #expect(bad == ["second Mac: login"])
  }

  @Test("A server that takes another Mac's tokens and key contexts is found out")
  func mixesMacs() async throws {
    let (all, bad) = try await rows { asked, response in
      guard asked.isOfSecondMac, asked.hasSecondLogin, response.status >= 400 else { return response }
      return asked.lastAnswer ?? response
    }
    #expect(
      bad == [
        "second Mac: the first one's refresh token", "second Mac: a key by the first one's refresh token",
        "second Mac: the first one's key context",
      ])
    #expect(all["second Mac: the first one's refresh token"] == .wrong)
  }

  @Test("A server whose login on one Mac ends that on another is wrong")
  func endsLogins() async throws {
    let (_, bad) = try await rows { asked, response in
      let isRefresh = asked.type == "platformsso-refresh-request+jwt"
      return asked.hasSecondLogin && !asked.isOfSecondMac && isRefresh ? HTTPResponseValue(status: 401) : response
    }
    #expect(bad == ["second Mac: the first one stays logged in"])
  }
}
