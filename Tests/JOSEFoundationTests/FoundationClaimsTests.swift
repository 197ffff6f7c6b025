import Foundation
import JOSE
import JOSEFoundation
import StrictJSON
import Testing

@Suite("Foundation's types as claims")
struct FoundationClaimsTests {
  struct Claims: Codable, Equatable {
    var exp: Date
    var iat: Date?
    var auth_times: [Date]
    var digest: Data
    var picture: URL
    var nested: [String: Date]
  }

  static let claims = Claims(
    exp: Date(timeIntervalSince1970: 4_000_000_000), iat: nil,
    auth_times: [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: -1)], digest: Data([0xFF, 0xEE, 0]),
    picture: URL(string: "https://a.example/p?q=1")!, nested: ["x": Date(timeIntervalSince1970: 2)])

  @Test("dates are seconds since 1970, data base64url, URLs text, in both directions")
  func forms() throws {
    let key = try SigningKey.generate(.es256)
    let token = try JWT.sign(Self.claims, with: key)
    let verifier = JWTVerifier(
      key: key.verificationKey, policy: JWTPolicy(issuer: .notChecked, audience: .notChecked))
    #expect(try verifier.verify(token, as: Claims.self).claims == Self.claims)
    let json = try verifier.verify(token).claims
    #expect(json["exp"] == 4_000_000_000 && json["auth_times"] == [1, -1] && json["nested"] == ["x": 2])
    #expect(json["digest"] == "_-4A" && json["picture"] == "https://a.example/p?q=1")
  }

  @Test(
    "a date is written whole, towards the past", arguments: [(1.999, 1), (-1.5, -2), (817_001_432.03, 817_001_432)])
  func whole(seconds: Double, expected: Int) throws {
    let text = try StrictJSONEncoder().encode(["t": Date(timeIntervalSince1970: seconds)])
    #expect(String(decoding: text, as: UTF8.self) == "{\"t\":\(expected)}")
  }

  @Test("what is no number of seconds is no date", arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func endless(seconds: Double) throws {
    let claims = ["exp": Date(timeIntervalSince1970: seconds)]
    let error = #expect(throws: JOSEError.self) { try JWT.sign(claims, with: .generate(.es256)) }
    #expect(error?.name == "exp")
  }

  @Test("what has another form is refused, and the error says where")
  func refusals() throws {
    let key = try SigningKey.generate(.es256)
    let verifier = JWTVerifier(
      key: key.verificationKey, policy: JWTPolicy(issuer: .notChecked, audience: .notChecked, requiredClaims: []))
    for (claims, expected) in [
      (["auth_times": ["1"]], "auth_times/0"), (["digest": "a+b="], "digest"), (["picture": ""], "picture"),
      (["nested": ["x": true]], "nested/x"), (["exp": nil], nil),
    ] as [(JSONObject, String?)] {
      var object: JSONObject = [
        "exp": 1, "auth_times": [], "digest": "", "picture": "https://a.example", "nested": [:],
      ]
      for (name, value) in claims.members { object[name] = value }
      object["exp"] = claims["exp"] ?? 4_000_000_000
      let token = try JWT.sign(object, with: key)
      do throws(JOSEError) {
        _ = try verifier.verify(token, as: Claims.self)
        Issue.record("accepted: \(claims)")
      } catch {
        #expect(error.code == .claimInvalid)
        if let expected { #expect(error.name == expected) }
      }
    }
    let missing = try JWT.sign(["exp": 4_000_000_000] as JSONObject, with: key)
    do throws(JOSEError) {
      _ = try verifier.verify(missing, as: Claims.self)
      Issue.record("accepted")
    } catch {
      #expect(error.name == "auth_times")
    }
  }
}
