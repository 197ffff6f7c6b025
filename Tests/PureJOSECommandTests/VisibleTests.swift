import JOSE
import PlatformSSOKit
import StrictJSON
import Synchronization
import Testing

@testable import PureJOSECommand

/// What another party wrote may neither forge a line of the output nor hide one.
@Suite("Text of others on the console")
struct VisibleTests {
  /// Clears the screen, begins a line, turns the direction of the text, and names another device.
  static let hostile = "x\u{1B}[2J\r\nregistered as y\u{202E}\u{2066}\u{200F}\u{9B}\u{2028}\u{E0041}"

  private func isPlain(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) }
  }

  @Test("Controls, line feeds and marks of direction are escaped, and the length is bounded")
  func text() {
    #expect(isPlain(Visible.text(Self.hostile)) && Visible.text(Self.hostile).contains("\\u{202E}"))
    #expect(Visible.text("Jane's Mac, 2") == "Jane's Mac, 2")
    #expect(Visible.text(String(repeating: "x", count: 200)).count == 200)
    #expect(Visible.text(String(repeating: "x", count: 60_000)).count == 201)
    // One character that has sixty thousand scalars.
    #expect(Visible.text("e" + String(repeating: "\u{301}", count: 60_000)).count < 2000)
    #expect(Suggestion.shown("e" + String(repeating: "\u{301}", count: 60_000)).count < 500)
  }

  @Test("JSON keeps its meaning, and has nothing in it that moves the cursor but its line feeds")
  func json() throws {
    let object: JSONObject = [Self.hostile: .string(Self.hostile + "é"), "list": [1, .string("\u{7F}")]]
    let shown = Visible.lines(object)
    #expect(try JSONObject(parsing: shown) == object)
    let text = String(decoding: shown, as: UTF8.self)
    #expect(text.split(separator: "\n").allSatisfy { isPlain($0.replacing("é", with: "")) })
    let record = HTTPRecord.write(HTTPResponseValue(status: 200, body: Array(Self.hostile.utf8)))
    #expect(!String(decoding: record, as: UTF8.self).unicodeScalars.contains("\u{202E}"))
    #expect(try HTTPRecord.response(record).body == Array(Self.hostile.utf8))
    let token = try JWT.sign(["a": .string(Self.hostile)] as JSONObject, with: .generate(.es256))
    for arguments in [["inspect"], ["inspect", "--json"]] {
      let inspected = CommandRun(arguments, input: Array(token.utf8)).text
      #expect(inspected.contains("\\u202e") && !inspected.unicodeScalars.contains("\u{202E}"))
    }
  }

  @Test("A line of curl's configuration stays one line")
  func curl() {
    let request = HTTPRequestValue(
      method: "GET", url: "https://a/\"\u{301}\noutput = x\r\n", headers: HTTPHeaderFields(), body: [])
    let lines = HTTPText.curlConfiguration(request).split(separator: "\n")
    #expect(lines.count == 2 && lines[0] == "url = \"https://a/\\\"\u{301}\\noutput = x\\r\\n\"")
  }

  @Test("Names that a server and a user chose are on the Mac's lines, and make no other lines")
  func mac() async throws {
    let (provider, subject) = try await OwnProvider.make(clock: .standing)
    let key = provider.provider.idTokenKey
    let server = RewritingServer(base: provider, device: subject.device) { _, members in
      guard let token = members["id_token"]?.stringValue,
        var claims = try UnverifiedJWS(parsing: token).unverifiedClaims
      else { return }
      claims["sub"] = .string(Self.hostile + String(repeating: "x", count: 60_000))
      members["id_token"] = .string(try JWT.sign(claims, with: key))
    }
    let told = Told()
    let mac = SimulatedMac(
      device: subject.device, user: subject.user, method: subject.method, transport: server
    ) { line in told.lines.withLock { $0.append(line) } }
    try await mac.liveADay(enrolment: nil)
    let open = SimulatedMac(
      device: subject.device, user: subject.user, method: subject.method, transport: Registrar(), tell: mac.tell)
    // Such a name is not even sent.
    await #expect(throws: CommandFailure.self) {
      try await open.register(at: "https://idp.example.com/register", token: nil, deviceID: Self.hostile)
    }
    let lines = told.lines.withLock { $0 }
    #expect(lines.count == 3)
    for line in lines { #expect(isPlain(line.replacing("…", with: "")) && line.count < 500) }
  }

  @Test("What the doctor observed is a server's text, in the table and in JSON")
  func doctor() async throws {
    let (provider, subject) = try await OwnProvider.make(clock: .standing)
    var server = RewritingServer(base: provider, device: subject.device) { _, _ in }
    server.type = Self.hostile + String(repeating: "x", count: 5000)
    var run = DoctorRun(subject: subject, transport: server)
    let report = try await run.examine()
    let observed = report.findings.first { $0.name == "login: typ" }?.observed ?? ""
    #expect(observed.hasPrefix("x\\u{1B}[2J\\r\\nregistered") && observed.count < 500)
    for finding in report.findings { #expect(isPlain(finding.observed.replacing("…", with: ""))) }
    #expect(report.findings.first { $0.name == "login: answered" }?.verdict == .wrong)
    #expect(report.mutationCount >= 180)
  }

  private final class Told: Sendable {
    let lines = Mutex<[String]>([])
  }

  /// Takes every registration.
  private struct Registrar: DoctorTransport {
    func send(_ request: HTTPRequestValue) async throws(CommandFailure) -> HTTPResponseValue {
      HTTPResponseValue(status: 201)
    }
  }
}
