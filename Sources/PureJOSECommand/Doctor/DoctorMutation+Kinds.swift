import JOSE
import PlatformSSOKit
import PureCrypto
import StrictJSON

extension DoctorMutations {
  private static let keys = "Apple, Supporting key requests and key exchange requests"
  private static let refresh = "Apple, Creating a refresh request"

  static let unknownUser = "sub and username unknown"
  static let wrongPassword = "password wrong"

  /// What is tried with one kind of request alone.
  static func particular(_ kind: DeviceRequest.Message, hasPassword: Bool) -> [DoctorMutation] {
    switch kind {
    case .login: logins(hasPassword: hasPassword)
    case .refresh: refreshes
    case .key: keyRequests
    case .keyExchange: keyRequests + exchanges
    }
  }

  private static func logins(hasPassword: Bool) -> [DoctorMutation] {
    var list: [DoctorMutation] = [
      DoctorMutation("username another than sub", "both name the user", login) {
        $0.claims["username"] = "x-another-user"
      },
      DoctorMutation("sub another than username", "both name the user", login, mayAskAgain: true) {
        $0.claims["sub"] = "x-another-user"
      },
      DoctorMutation(unknownUser, "the user must be known", login, mayAskAgain: true) {
        for name in ["sub", "username"] { $0.claims[name] = "x-unknown" }
      },
      DoctorMutation("sub empty", "sub is the user", login, ifAccepted: .lenient, mayAskAgain: true) {
        $0.claims["sub"] = ""
      },
      DoctorMutation("username absent", "username is the user", login, ifAccepted: .lenient, mayAskAgain: true) {
        $0.claims["username"] = nil
      },
      DoctorMutation("grant_type absent", "the claim selects the method", login) { $0.claims["grant_type"] = nil },
      DoctorMutation("grant_type unknown", "the claim selects the method", login) { $0.claims["grant_type"] = "x" },
      DoctorMutation("grant_type client_credentials", "a device alone is not a user", login) {
        $0.claims["grant_type"] = "client_credentials"
      },
      DoctorMutation("grant_type refresh_token without a token", "a refresh has a token", login, mayAskAgain: true) {
        $0.claims["grant_type"] = "refresh_token"
      },
      DoctorMutation("a malformed SAML assertion", "the assertion is the STS's", login, mayAskAgain: true) {
        $0.claims["grant_type"] = "urn:ietf:params:oauth:grant-type:saml2-bearer"
        $0.claims["assertion"] = "PHNhbWw+"
      },
      DoctorMutation("a malformed assertion", "the assertion is signed by the user", login, mayAskAgain: true) {
        $0.claims["grant_type"] = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        $0.claims["assertion"] = "x.y.z"
      },
      DoctorMutation(
        "an assertion of the device's own key", "the assertion is signed by the user", login, mayAskAgain: true
      ) {
        $0.claims["grant_type"] = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        $0.claims["password"] = nil
        $0.claims["assertion"] = .string($0.selfSignedAssertion())
      },
      DoctorMutation("an invalid browser's code", "the code was given to this user", login, mayAskAgain: true) {
        $0.claims["grant_type"] = "urn:ietf:params:oauth:grant-type:token-exchange"
        $0.claims["subject_token_type"] = "urn:apple:platformsso:authorization-code-response"
        $0.claims["subject_token"] = "com.apple.platformsso://callback?code=x&state=y"
      },
      DoctorMutation("scope absent", "scope has openid", login, ifAccepted: .lenient) { $0.claims["scope"] = nil },
      DoctorMutation("scope a number", "scope is text", login, ifAccepted: .lenient) { $0.claims["scope"] = 1 },
    ]
    if hasPassword {
      list += [
        DoctorMutation(wrongPassword, "401 makes the Mac ask again", login, mustAskAgain: true) {
          $0.claims["password"] = "x-wrong-password"
        },
        DoctorMutation("password empty", "401 makes the Mac ask again", login, mayAskAgain: true) {
          $0.claims["password"] = ""
        },
        DoctorMutation("password absent", "a password login has a password", login, mayAskAgain: true) {
          $0.claims["password"] = nil
        },
        DoctorMutation("password true", "a password is text", login, mayAskAgain: true) {
          $0.claims["password"] = true
        },
        DoctorMutation("password with a letter more", "passwords are compared whole", login, mustAskAgain: true) {
          $0.claims["password"] = .string(($0.claims["password"]?.stringValue ?? "") + "x")
        },
      ]
    }
    return list
  }

  /// Another `refresh_token`.
  private static func refreshToken(
    _ name: String, _ value: JSONValue?, _ rule: String, _ source: String
  ) -> DoctorMutation {
    DoctorMutation("refresh_token \(name)", rule, source, mayAskAgain: true) { $0.claims["refresh_token"] = value }
  }

  private static let refreshes: [DoctorMutation] = [
    refreshToken("absent", nil, "a refresh has a token", refresh),
    refreshToken("empty", "", "a refresh has a token", refresh),
    refreshToken("unknown", "x-unknown", "the token is this device's", refresh),
    DoctorMutation("refresh_token with a letter more", "tokens are compared whole", refresh, mayAskAgain: true) {
      $0.claims["refresh_token"] = .string(($0.claims["refresh_token"]?.stringValue ?? "") + "A")
    },
    refreshToken("a number", 1, "the token is text", refresh),
    DoctorMutation("grant_type password without one", "the claim selects the method", refresh, mayAskAgain: true) {
      $0.claims["grant_type"] = "password"
    },
    DoctorMutation("another user in sub", "the user is the token's", refresh, ifAccepted: .lenient, mayAskAgain: true) {
      $0.claims["sub"] = "x-another-user"
    },
  ]

  private static let keyRequests: [DoctorMutation] = [
    DoctorMutation("version 2.0", "the claim is 1.0, whatever the form says", keys, ifAccepted: .lenient) {
      $0.claims["version"] = "2.0"
    },
    DoctorMutation("version absent", "the claim is 1.0", keys, ifAccepted: .lenient) { $0.claims["version"] = nil },
    DoctorMutation("request_type absent", "the claim tells the two apart", keys, ifAccepted: .lenient) {
      $0.claims["request_type"] = nil
    },
    DoctorMutation("request_type unknown", "the claim tells the two apart", keys) {
      $0.claims["request_type"] = "key_theft"
    },
    DoctorMutation("key_purpose unknown", "user_unlock only", keys, ifAccepted: .lenient) {
      $0.claims["key_purpose"] = "x"
    },
    DoctorMutation("key_purpose absent", "user_unlock only", keys, ifAccepted: .lenient) {
      $0.claims["key_purpose"] = nil
    },
    refreshToken("absent", nil, "the token proves the login", keys),
    refreshToken("unknown", "x-unknown", "the token proves the login", keys),
    refreshToken("empty", "", "the token proves the login", keys),
    DoctorMutation("sub and username another user", "the token's user", keys, mayAskAgain: true) {
      for name in ["sub", "username"] { $0.claims[name] = "x-another-user" }
    },
    DoctorMutation("username another than sub", "both name the user", keys) {
      $0.claims["username"] = "x-another-user"
    },
    DoctorMutation("sub absent", "sub is the user", keys, ifAccepted: .lenient, mayAskAgain: true) {
      $0.claims["sub"] = nil
    },
  ]

  private static let exchanges: [DoctorMutation] = [
    DoctorMutation("other_publickey absent", "a point is needed", keys) { $0.claims["other_publickey"] = nil },
    DoctorMutation("other_publickey no base64", "a point in base64", keys) { $0.claims["other_publickey"] = "!!!" },
    DoctorMutation("other_publickey a number", "a point in base64", keys) { $0.claims["other_publickey"] = 4 },
    DoctorMutation("other_publickey off the curve", "an invalid point gives the key away", "RFC 8725 §3.4") {
      $0.changePoint { if $0.count == 65 { $0[64] ^= 1 } }
    },
    DoctorMutation("other_publickey 64 octets", "65 octets", keys) {
      $0.changePoint { if !$0.isEmpty { $0.removeFirst() } }
    },
    DoctorMutation("other_publickey compressed", "65 octets", keys) {
      $0.changePoint { if $0.count == 65 { $0 = [2 + ($0[64] & 1)] + $0[1..<33] } }
    },
    DoctorMutation("other_publickey at infinity", "a point of the curve", "RFC 8725 §3.4") {
      $0.changePoint { $0 = [0] }
    },
    DoctorMutation("other_publickey of zeros", "a point of the curve", "RFC 8725 §3.4") {
      $0.changePoint { $0 = [4] + [UInt8](repeating: 0, count: 64) }
    },
    DoctorMutation("other_publickey with the first octet 6", "uncompressed only", keys, ifAccepted: .lenient) {
      $0.changePoint { if !$0.isEmpty { $0[0] = 6 } }
    },
    DoctorMutation("other_publickey beyond the field", "coordinates are below the prime", "RFC 8725 §3.4") {
      $0.changePoint { $0 = [4] + [UInt8](repeating: 0xFF, count: 64) }
    },
    DoctorMutation("key_context changed", "the context is the provider's", keys) {
      guard let context = $0.claims["key_context"]?.stringValue, !context.isEmpty else { return }
      let middle = context.utf8.count / 2
      var octets = Array(context.utf8)
      octets[middle] = octets[middle] == 0x41 ? 0x42 : 0x41
      $0.claims["key_context"] = .string(String(decoding: octets, as: UTF8.self))
    },
    DoctorMutation("key_context made up", "the context is the provider's", keys) {
      $0.claims["key_context"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 61)))
    },
    DoctorMutation("key_context a number", "the context is text", keys, ifAccepted: .lenient) {
      $0.claims["key_context"] = 1
    },
  ]
}

extension SignedDraft {
  /// Changes the octets of `other_publickey`.
  mutating func changePoint(_ change: (inout [UInt8]) -> Void) {
    var octets = (try? Base64.decode(claims["other_publickey"]?.stringValue ?? "")) ?? []
    change(&octets)
    claims["other_publickey"] = .string(Base64.encode(octets))
  }

  /// An assertion for this request's user that the device signed in the user's place.
  func selfSignedAssertion() -> String {
    var inner = JSONObject()
    for name in ["sub", "iat", "exp", "nonce", serverNonceClaimName, "scope"] { inner[name] = claims[name] }
    inner["iss"] = claims["sub"]
    inner["aud"] = claims["aud"]
    let header: JSONObject = [
      "typ": "platformsso-login-assertion+jwt", "alg": "ES256", "kid": .string(keys.signingKeyID.text),
    ]
    let input = "\(Base64URL.encode(header.serialized())).\(Base64URL.encode(inner.serialized()))"
    return "\(input).\(Base64URL.encode(sign?(Array(input.utf8)) ?? []))"
  }
}
