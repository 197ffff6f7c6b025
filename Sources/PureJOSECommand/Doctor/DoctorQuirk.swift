import JOSE
import PlatformSSOKit

/// A request in another form than the usual, which some Mac or extension sends.
struct DoctorQuirk: Sendable {
  let name: String
  let rule: String
  let source: String
  /// What it means if the request is refused; right where a server may do either.
  let ifRefused: DoctorFinding.Verdict
  let apply: @Sendable (inout SignedDraft) -> Void

  init(
    _ name: String, _ rule: String, _ source: String, ifRefused: DoctorFinding.Verdict = .wrong,
    _ apply: @escaping @Sendable (inout SignedDraft) -> Void
  ) {
    (self.name, self.rule, self.source) = (name, rule, source)
    (self.ifRefused, self.apply) = (ifRefused, apply)
  }
}

/// What Macs and extensions are known to send.
enum DoctorQuirks {
  private static let captured = "requests captured from macOS 14.4"

  static func of(_ kind: DeviceRequest.Message) -> [DoctorQuirk] {
    let isKey = kind == .key || kind == .keyExchange
    // As macOS makes them, self-signed; but of another key, which a server may look at.
    let certificate = Base64.encode(
      UnlockKey.generate().selfSignedCertificate(commonName: "Platform SSO", notBefore: WallClock.system.now))
    var list: [DoctorQuirk] = [
      DoctorQuirk("as a Mac sends it", "what Macs send is answered", "Apple") { _ in },
      DoctorQuirk("pretty-printed JSON", "signatures cover the text that came", captured) {
        $0.headerText = MessageTextOfMacs.text($0.header)
        $0.claimsText = MessageTextOfMacs.text($0.claims)
      },
      DoctorQuirk("members in another order", "order does not matter", "RFC 8259 §4") { draft in
        draft.header = JSONObject(draft.header.members.reversed().map { ($0.name, $0.value) })
        draft.claims = JSONObject(draft.claims.members.reversed().map { ($0.name, $0.value) })
      },
      DoctorQuirk("an unknown claim", "unknown claims are ignored", "RFC 7519 §4") {
        $0.claims["x-unknown"] = ["a": [1, true]]
      },
      DoctorQuirk("an unknown header parameter", "unknown parameters are ignored", "RFC 7515 §4") {
        $0.header["x-unknown"] = 1
      },
      DoctorQuirk("amr", "undocumented claims are ignored", captured) { $0.claims["amr"] = ["pwd"] },
      DoctorQuirk(
        "x5c as a string", "it may be looked at, and must not trouble", "Apple, samples up to macOS 26",
        ifRefused: .right
      ) {
        $0.header["x5c"] = .string(certificate)
      },
      DoctorQuirk(
        "x5c as an array", "it may be looked at, and must not trouble", "Apple, samples for macOS 27",
        ifRefused: .right
      ) {
        $0.header["x5c"] = [.string(certificate)]
      },
      DoctorQuirk("an unknown form field", "unknown fields are ignored", "Apple, custom request values") { draft in
        draft.changeFields = { $0 + [("x-unknown", "1")] }
      },
      DoctorQuirk(
        "in the form field request", "extensions built for macOS 13 have it, and some choose it", "Apple",
        ifRefused: .right
      ) { draft in
        let name = draft.parameterName
        draft.changeFields = { fields in fields.map { $0.0 == name ? ("request", $0.1) : $0 } }
      },
      DoctorQuirk("Content-Type with a charset", "parameters of a type don't matter", "RFC 9110 §8.3.1") {
        $0.changeRequest = { try? $0.headers.set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8") }
      },
      DoctorQuirk("colons not escaped", "forms may have them bare", "WHATWG URL §5.1") {
        $0.changeRequest = {
          $0.body = Array(String(decoding: $0.body, as: UTF8.self).replacing("%3A", with: ":").utf8)
        }
      },
      DoctorQuirk("iat with a fraction", "a NumericDate may have one", "RFC 7519 §2", ifRefused: .lenient) {
        if let time = $0.claims["iat"]?.int64Value {
          $0.claimsText = $0.text(replacing: "iat", by: "\(time).25")
        }
      },
      DoctorQuirk("iat thirty seconds ahead", "clocks differ", "practice", ifRefused: .lenient) {
        $0.shiftTimes(by: 30)
      },
      DoctorQuirk("times as text", "macOS 13 writes them so", "Apple, samples of 2022", ifRefused: .right) { draft in
        for name in ["iat", "exp"] {
          if let time = draft.claims[name]?.int64Value { draft.claims[name] = .string("\(time)") }
        }
      },
      DoctorQuirk(
        "kid in base64url without padding", "identifiers are compared by octets", "practice", ifRefused: .right
      ) {
        $0.header["kid"] = .string(Base64URL.encode($0.keys.signingKeyID.octets))
      },
      DoctorQuirk("typ JWT", "extensions built for macOS 13 have it, and some override it", "Apple", ifRefused: .right)
      {
        $0.header["typ"] = "JWT"
      },
      DoctorQuirk("client-request-id in lower case", "UUIDs have no case", "RFC 9562 §4", ifRefused: .lenient) {
        $0.changeRequest = { request in
          let value = request.headers.values("client-request-id").first ?? ""
          try? request.headers.set("client-request-id", value.lowercased())
        }
      },
    ]
    if isKey {
      list.append(
        DoctorQuirk("no aud", "Macs send none in key requests", captured) { $0.claims["aud"] = nil })
    } else {
      list += [
        DoctorQuirk("aud an array of one", "aud may be an array", "RFC 7519 §4.1.3", ifRefused: .lenient) { draft in
          draft.claims["aud"] = draft.claims["aud"].map { .array([$0]) }
        },
        DoctorQuirk(
          "platform_sso_version 1", "Apple's table has it so", "Apple, Creating and validating a login request",
          ifRefused: .right
        ) {
          $0.changeField("platform_sso_version", "1")
        },
      ]
    }
    if kind == .login {
      list.append(
        DoctorQuirk("groups asked for", "claims.id_token.groups.values", captured) {
          $0.claims["claims"] = ["id_token": ["groups": ["values": ["x-group"]]]]
        })
    }
    return list
  }
}

/// JSON as a Mac writes it.
enum MessageTextOfMacs {
  static func text(_ object: JSONObject) -> String {
    String(decoding: MessageText.octets(object, isIndented: true), as: UTF8.self)
  }
}
