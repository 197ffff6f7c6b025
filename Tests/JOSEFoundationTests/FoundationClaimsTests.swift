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
    exp: Date(timeIntervalSince1970: 2_000_000_000), iat: nil,
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
    #expect(json["exp"] == 2_000_000_000 && json["auth_times"] == [1, -1] && json["nested"] == ["x": 2])
    #expect(json["digest"] == "_-4A" && json["picture"] == "https://a.example/p?q=1")
  }

  @Test(
    "a date is written in whole seconds, rounded down",
    arguments: [(1.999, 1), (-1.5, -2), (817_001_432.03, 817_001_432)])
  func whole(seconds: Double, expected: Int) throws {
    let text = try StrictJSONEncoder().encode(["t": Date(timeIntervalSince1970: seconds)])
    #expect(String(decoding: text, as: UTF8.self) == "{\"t\":\(expected)}")
  }

  /// A wrapper that has what it wraps write itself, as property wrappers of some libraries do.
  @propertyWrapper struct Written<Value: Encodable & Sendable>: Encodable, Sendable {
    var wrappedValue: Value
    func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
  }

  /// The same by a container, which asks the encoder.
  struct Contained<Value: Encodable & Sendable>: Encodable, Sendable {
    let value: Value
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  /// The same, longer than any type with a form, and a case of an enumeration.
  struct Large: Encodable, Sendable {
    let first = "a"
    let second = "b"
    let third = "c"
    let written: Date
    func encode(to encoder: any Encoder) throws { try written.encode(to: encoder) }
  }

  enum When: Encodable, Sendable {
    case at(Date)
    func encode(to encoder: any Encoder) throws { if case .at(let date) = self { try date.encode(to: encoder) } }
  }

  /// A wrapper with a form of its own.
  struct Chosen: Encodable, Sendable {
    let date: Date
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(date.timeIntervalSince1970 * 1000)
    }
  }

  @Test("a wrapper encodes Foundation's types through a container, and not by their encode(to:)")
  func wrappers() throws {
    let date = Date(timeIntervalSince1970: 1_800_000_000.5)
    let url = try #require(URL(string: "https://a.example/p"))
    let forms: [(any Encodable & Sendable, any Encodable & Sendable, String)] = [
      (Written(wrappedValue: date), Contained(value: date), "1800000000"),
      (Written(wrappedValue: Decimal(5) / 4), Contained(value: Decimal(5) / 4), "1.25"),
      (Large(written: date), Contained(value: date), "1800000000"),
      (When.at(date), Contained(value: date), "1800000000"),
      (Written(wrappedValue: url), Contained(value: url), "\"https://a.example/p\""),
      (Written(wrappedValue: Written(wrappedValue: date)), Contained(value: Contained(value: date)), "1800000000"),
    ]
    for (written, contained, text) in forms {
      for place in 0..<3 {
        let error = #expect(throws: JOSEError.self) {
          try JWT.sign(Self.claim(written, place), with: .generate(.es256))
        }
        #expect(
          error?.fault == .callerMisuse && error?.reason.contains("encode(to:)") == true,
          "\(text) \(error.map { "\($0)" } ?? "")")
      }
      let encoded = try StrictJSONEncoder().encode(Claim(["c": contained]))
      #expect(String(decoding: encoded, as: UTF8.self) == "{\"c\":\(text)}")
    }
    // An optional asks the encoder for what it holds.
    let optional = try StrictJSONEncoder().encode(Claim(["c": Written(wrappedValue: date as Date?)]))
    #expect(String(decoding: optional, as: UTF8.self) == "{\"c\":1800000000}")
    // Numbers, lists and objects that a wrapper chose are its own.
    let chosen = try StrictJSONEncoder().encode(Claim(["c": Chosen(date: date)]))
    #expect(String(decoding: chosen, as: UTF8.self) == "{\"c\":1800000000500}")
    for own in [
      Written(wrappedValue: 1.5), Written(wrappedValue: [1, 2]), Written(wrappedValue: [1]),
      Written(wrappedValue: ["base": 1]),
    ] as [any Encodable & Sendable] {
      #expect(throws: Never.self) { try StrictJSONEncoder().encode(Claim(["c": own])) }
    }
  }

  /// Claims of any types.
  private struct Claim: Encodable {
    let members: [String: any Encodable & Sendable]

    init(_ members: [String: any Encodable & Sendable]) { self.members = members }

    private struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      for (name, value) in members { try container.encode(value, forKey: Key(stringValue: name)) }
    }
  }

  /// A list of one element.
  private struct List: Encodable {
    let element: any Encodable & Sendable

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(element)
    }
  }

  /// Claims with a value at their top, in a list or in an object.
  private static func claim(_ value: any Encodable & Sendable, _ place: Int) -> Claim {
    switch place {
    case 0: Claim(["c": value])
    case 1: Claim(["c": List(element: value)])
    default: Claim(["c": Claim(["d": value])])
    }
  }

  @Test(
    "a date that is infinite or not a number can't be signed",
    arguments: [Double.nan, .infinity, -.infinity, .signalingNaN])
  func endless(seconds: Double) throws {
    let claims = ["exp": Date(timeIntervalSince1970: seconds)]
    let error = #expect(throws: JOSEError.self) { try JWT.sign(claims, with: .generate(.es256)) }
    #expect(error?.name == "exp")
  }

  @Test("a claim of another form is refused with an error that names its place")
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
      object["exp"] = claims["exp"] ?? 2_000_000_000
      let token = try JWT.sign(object, with: key)
      do throws(JOSEError) {
        _ = try verifier.verify(token, as: Claims.self)
        Issue.record("accepted: \(claims)")
      } catch {
        #expect(error.code == .claimInvalid)
        if let expected { #expect(error.name == expected) }
      }
    }
    let missing = try JWT.sign(["exp": 2_000_000_000] as JSONObject, with: key)
    do throws(JOSEError) {
      _ = try verifier.verify(missing, as: Claims.self)
      Issue.record("accepted")
    } catch {
      #expect(error.name == "auth_times")
    }
  }
}
