import JOSE
import PlatformSSOKit

extension DoctorMutations {
  static func claims(_ kind: DeviceRequest.Message) -> [DoctorMutation] {
    let key = "Apple, Supporting key requests and key exchange requests"
    let isKey = kind == .key || kind == .keyExchange
    let source = isKey ? key : login
    var list: [DoctorMutation] = [
      DoctorMutation("iss absent", "iss is the client", source, ifAccepted: .lenient) { $0.claims["iss"] = nil },
      DoctorMutation("iss another client", "iss is the client", source) { $0.claims["iss"] = "x-other-client" },
      DoctorMutation("iss a number", "iss is text", "RFC 7519 §4.1.1", ifAccepted: .lenient) { $0.claims["iss"] = 1 },
      DoctorMutation("aud of another provider", "aud is this provider", source) {
        $0.claims["aud"] = "https://other.example/token"
      },
      DoctorMutation("aud a list of others", "aud is this provider", source) {
        $0.claims["aud"] = ["https://other.example/token", "https://third.example/"]
      },
      DoctorMutation("aud a number", "aud is text", "RFC 7519 §4.1.3") { $0.claims["aud"] = 1 },
      DoctorMutation("iat absent", "iat is now", source, ifAccepted: .lenient) { $0.claims["iat"] = nil },
      DoctorMutation("iat ten minutes ahead", "iat is not in the future", source) { $0.shiftTimes(by: 600) },
      DoctorMutation("iat no number", "iat is a time", source, ifAccepted: .lenient) { $0.claims["iat"] = "soon" },
      DoctorMutation("exp absent", "exp is five minutes behind iat", source, ifAccepted: .lenient) {
        $0.claims["exp"] = nil
      },
      DoctorMutation("exp five minutes ago", "exp is not past", source) { $0.shiftTimes(by: -600) },
      DoctorMutation("exp in a year", "a request lives five minutes", source, ifAccepted: .lenient) {
        $0.claims["exp"] = .number(JSONNumber(($0.claims["iat"]?.int64Value).map { Int($0) + 31_536_000 } ?? 0))
      },
      DoctorMutation("exp no number", "exp is a time", source, ifAccepted: .lenient) { $0.claims["exp"] = "later" },
      DoctorMutation("exp beyond all numbers", "sizes are bounded", "hygiene", ifAccepted: .lenient) {
        $0.claimsText = $0.text(replacing: "exp", by: "1e400")
      },
      DoctorMutation("nonce absent", "nonce is fresh for each request", source) { $0.claims["nonce"] = nil },
      DoctorMutation("nonce empty", "nonce is fresh for each request", source) {
        $0.claims["nonce"] = ""
        // As a sender would write it that has none.
        $0.changePartyVInfo { $0 = Array($0.prefix(78)) + [0, 0, 0, 0] }
      },
      DoctorMutation("nonce a number", "nonce is text", source) { $0.claims["nonce"] = 1 },
      DoctorMutation("server nonce absent", "the server nonce must be there", source) { $0.claims[$0.nonceName] = nil },
      DoctorMutation("server nonce empty", "the server nonce is this provider's", source) {
        $0.claims[$0.nonceName] = ""
      },
      DoctorMutation("server nonce made up", "the server nonce is this provider's", source) {
        $0.claims[$0.nonceName] = .string(Base64URL.encode([UInt8](repeating: 0x33, count: 32)))
      },
      DoctorMutation("server nonce changed by a letter", "the server nonce is this provider's", source) {
        let nonce = $0.claims[$0.nonceName]?.stringValue ?? ""
        $0.claims[$0.nonceName] = .string((nonce.first == "A" ? "B" : "A") + nonce.dropFirst())
      },
      DoctorMutation("server nonce a list", "the server nonce is text", source) { $0.claims[$0.nonceName] = ["a"] },
      DoctorMutation("claims with a member twice", "names are unique", "RFC 7519 §4", ifAccepted: .lenient) {
        let text = String(decoding: $0.claims.serialized(), as: UTF8.self)
        $0.claimsText = #"{"sub":"x-another-user","iss":"x","# + text.dropFirst()
      },
      DoctorMutation("claims no JSON", "claims are JSON", "RFC 7519") { $0.claimsText = "iss=x" },
      DoctorMutation("claims an array", "claims are an object", "RFC 7519") { $0.claimsText = "[]" },
      DoctorMutation("claims of ten thousand brackets", "depths are bounded", "hygiene") {
        $0.claimsText = String(repeating: "[", count: 10_000)
      },
    ]
    if !isKey {
      list += [
        DoctorMutation("aud absent", "aud is the endpoint", source, ifAccepted: .lenient) { $0.claims["aud"] = nil },
        DoctorMutation("client_id absent", "client_id is the client", source, ifAccepted: .lenient) {
          $0.claims["client_id"] = nil
        },
        DoctorMutation("client_id another", "client_id is the client", source) {
          $0.claims["client_id"] = "x-other-client"
        },
      ]
    }
    return list
  }

  static let encryption: [DoctorMutation] = [
    DoctorMutation("jwe_crypto absent", "the answer's encryption must be asked for", response) {
      $0.claims["jwe_crypto"] = nil
    },
    DoctorMutation("jwe_crypto no object", "jwe_crypto is an object", response) { $0.claims["jwe_crypto"] = "ECDH-ES" },
    DoctorMutation("jwe_crypto RSA-OAEP", "ECDH-ES only", response, ifAccepted: .lenient) {
      $0.changeCrypto("alg", "RSA-OAEP")
    },
    DoctorMutation("jwe_crypto without alg", "ECDH-ES only", response, ifAccepted: .lenient) {
      $0.changeCrypto("alg", nil)
    },
    DoctorMutation("jwe_crypto A128GCM", "A256GCM only", response, ifAccepted: .lenient) {
      $0.changeCrypto("enc", "A128GCM")
    },
    DoctorMutation("jwe_crypto dir", "ECDH-ES only", response, ifAccepted: .lenient) { $0.changeCrypto("alg", "dir") },
    DoctorMutation("apv cut", "three fields behind their lengths", response, ifAccepted: .lenient) {
      $0.changePartyVInfo { $0.removeLast() }
    },
    DoctorMutation("apv longer", "three fields behind their lengths", response, ifAccepted: .lenient) {
      $0.changePartyVInfo { $0.append(0) }
    },
    DoctorMutation("apv not base64url", "apv is base64url", response) { $0.changeCrypto("apv", "!") },
    DoctorMutation("apv a number", "apv is text", response) { $0.changeCrypto("apv", 1) },
    DoctorMutation(
      "apv with a length beyond the end", "three fields behind their lengths", response, ifAccepted: .lenient
    ) {
      $0.changePartyVInfo { if !$0.isEmpty { $0[0] = 0xFF } }
    },
    DoctorMutation("apv APPLE", "the first field is Apple", response, ifAccepted: .lenient) {
      $0.changePartyVInfo { if $0.count > 9 { $0.replaceSubrange(4..<9, with: "APPLE".utf8) } }
    },
    DoctorMutation("apv of another device's key", "the key is the registered one", response, ifAccepted: .lenient) {
      guard let other = try? DeviceKeys.generate() else { return }
      $0.changePartyVInfo { octets in
        if octets.count > 78 { octets.replaceSubrange(13..<78, with: other.encryptionKeyX963Representation) }
      }
    },
    DoctorMutation("apv of another nonce", "the last field is the request's nonce", response, ifAccepted: .lenient) {
      $0.changePartyVInfo { if !$0.isEmpty { $0[$0.count - 1] ^= 1 } }
    },
  ]
}

extension SignedDraft {
  /// The claim with the server nonce.
  var nonceName: String { serverNonceClaimName }

  /// Moves `iat` and `exp`.
  mutating func shiftTimes(by seconds: Int) {
    for name in ["iat", "exp"] {
      if let time = claims[name]?.int64Value { claims[name] = .number(JSONNumber(Int(time) + seconds)) }
    }
  }

  /// The claims' text with a raw value of one member, which no JSON value of ours could hold.
  func text(replacing name: String, by raw: String) -> String {
    var changed = claims
    changed[name] = "\u{1}"
    return String(decoding: changed.serialized(), as: UTF8.self).replacing(#""\u0001""#, with: raw)
  }
}
