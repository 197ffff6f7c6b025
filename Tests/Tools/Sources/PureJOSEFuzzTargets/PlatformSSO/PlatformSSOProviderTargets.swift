import JOSE
import PlatformSSOKit
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let platformSSOProviderTargets = [provider]

  /// What comes to a whole provider: path and query, a line feed, and the body.
  private static let provider = FuzzTarget(
    "psso-provider", maximumByteCount: 1024,
    dictionary: [
      "/psso/login\n", "/psso/token\n", "/psso/nonce\n", "/psso/key\n", "/psso/authorize\n", "/psso/discovery?user=",
      "/register\n", "/register/user\n", "/jwks\n", "https://idp.example.com", "login=", "&user=", "&password=", "%3C",
      "\"device_id\":", "\"signing_key\":", "\"encryption_key\":", "\"registration_token\":", "\"access_token\":",
    ],
    seeds: { _ in
      let world = try PlatformSSOWorld.shared.get()
      let registration = try DeviceRegistration(
        deviceID: "mac-1", keys: world.device.keys, registrationToken: "t"
      ).httpRequest(to: "https://idp.example.com/register")
      return [
        Array("/psso/login\nlogin=a&user=jane%40example.com&password=b".utf8),
        Array("/psso/nonce\ngrant_type=srv_challenge".utf8), Array("/psso/discovery?user=jane%40example.com\n".utf8),
        Array("/.well-known/apple-app-site-association\n".utf8), Array("/register\n".utf8) + registration.body,
      ]
    },
    run: { input in
      let path = String(decoding: input.prefix { $0 != 0x0A }, as: UTF8.self)
      let body = Array(input.drop { $0 != 0x0A }.dropFirst())
      let type = body.first == 0x7B ? "application/json" : "application/x-www-form-urlencoded"
      let headers = try HTTPHeaderFields([
        ("Content-Type", type), ("client-request-id", PlatformSSOWorld.clientRequestID),
      ])
      let request = HTTPRequestValue(
        method: body.isEmpty ? "GET" : "POST", url: path, headers: headers, body: body)
      let provider = try Self.sharedProvider.get()
      return try InlineExecutor.run {
        guard let answer = await provider.respond(to: request) else { return false }
        try require((200..<500).contains(answer.status), "no request is a fault of the program or of its store")
        let page = String(decoding: answer.body, as: UTF8.self)
        try require(!page.contains("<script"), "a page has no script")
        return answer.status < 400
      }
    })

  /// It registers nobody, so that no input changes what the next one meets.
  private static let sharedProvider = Result {
    let world = try PlatformSSOWorld.shared.get()
    return try PlatformSSOProvider(
      address: "https://idp.example.com", clientID: "psso-client", apps: ["ABCDE12345.com.example.mac"],
      users: NoUsers(), records: MemoryRecordStore(), idTokenKey: world.provider.idTokenKey,
      secret: SecretBytes(copying: TokenKeys.secret), registration: RegistrationPolicy { _ in false },
      clock: .fixed(at: PlatformSSOWorld.now))
  }

  private struct NoUsers: PlatformSSOUsers {
    func user(_ name: String) -> PlatformSSOUser? { nil }

    func passwordVerdict(
      _ password: String, of userName: String, on device: RegisteredDevice
    ) -> CredentialVerdict { .wrong }
  }
}
