import JOSE
import NativeSSOKit
import OpenIDKit
import StrictJSON
import Testing

/// Servers that send back what they were sent: no error shows it.
@Suite struct EchoTests {
  private static func answer(_ members: JSONObject) -> HTTPResponseValue {
    HTTPResponseValue(status: 400, body: members.serialized())
  }

  @Test(arguments: ["s e/cret+1", "plain-secret"])
  func `an error response that echoes a credential loses its code, text and URI`(
    _ secret: String
  ) throws {
    let encoded = String(decoding: FormFields([("k", secret)]).encoded().dropFirst(2), as: UTF8.self)
    for echo in [secret, encoded, "bad: \(secret)", "x=\(encoded)&"] {
      let response = Self.answer([
        "error": .string(echo), "error_description": .string(echo), "error_uri": .string(echo),
      ])
      // What is not written as a code is no error response at all.
      guard let error = OAuthErrorResponse(response, withholding: [secret]) else { continue }
      #expect(error.code == OAuthErrorCode("") && error.text == nil && error.uri == nil, "\(echo)")
    }
  }

  @Test func `a code that is not known is not printed`() throws {
    let error = try #require(OAuthErrorResponse(Self.answer(["error": "hunter2"])))
    var log = "\(error) \(String(reflecting: error))"
    dump(error, to: &log)
    log += "\(LoginReason.refusedEarlier(error.code))"
    #expect(!log.contains("hunter2"), "\(log)")
    let known = try #require(OAuthErrorResponse(Self.answer(["error": "invalid_grant"])))
    #expect(
      "\(known)".contains("invalid_grant") && "\(LoginReason.refusedEarlier(known.code))".contains("invalid_grant"))
  }

  @Test func `an app's own secret is withheld too`() async throws {
    let device = Device(try await World())
    try await device.storePair()
    device.network.answer { _ in Self.answer(["error": "app-secret"]) }
    var configuration = device.configuration("app-b")
    configuration.authentication = .secretInForm("app-secret")
    let app = NativeSSOClient(configuration, pairs: device.store, appTokens: KeptTokens())
    guard case .refused(let code)? = await app.signInSilently().reason else {
      Issue.record("not refused")
      return
    }
    #expect(code.description == "invalid_error_code")
  }
}
