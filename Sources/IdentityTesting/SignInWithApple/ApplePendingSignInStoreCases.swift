import JOSE
import AppleSignInKit

/// What a `AppleSignInClient` relies on where its sign-ins wait.
public enum ApplePendingSignInStoreCases {
  /// All rules. The sign-ins began at 1760000000, by the clock that the store should have.
  public static let all: [StoreCase<any ApplePendingSignInStore>] = TakenOnceCases(
    record: "sign-in", records: "sign-ins", reference: "handle", full: { try full }, other: { try bare },
    numbered: { number in
      var signIn = try full
      signIn.state = "state \(number)"
      return signIn
    },
    named: { text in
      var signIn = try full
      (signIn.clientID, signIn.state) = (text, text)
      return signIn
    },
    octets: { $0.serialized() },
    insert: { try await $0.insert($1, handle: $2) },
    take: { try await $0.take(handle: $1) }
  ).all

  static var full: ApplePendingSignIn {
    get throws {
      ApplePendingSignIn(
        clientID: "com.example.web", redirectURI: try AppleRedirectURI("https://www.example.com/cb?a=b&c=d"),
        responseType: .codeAndIdentityToken, responseMode: .formPost, scopes: [.name, .email], state: "st'\"\\ate",
        nonce: try AppleNonce(raw: "nonce", form: .sha256Hex), startedAt: NumericDate(1_760_000_000).advanced(by: 0.25))
    }
  }

  private static var bare: ApplePendingSignIn {
    get throws {
      ApplePendingSignIn(
        clientID: "com.example.web", redirectURI: try AppleRedirectURI("https://www.example.com/cb"),
        responseType: .code, responseMode: .query, scopes: [], state: "s", nonce: nil,
        startedAt: NumericDate(1_760_000_000))
    }
  }
}
