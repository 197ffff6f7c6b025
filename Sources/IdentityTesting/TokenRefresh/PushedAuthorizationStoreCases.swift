import JOSE
import OpenIDKit

/// What a `PushedAuthorizationEndpoint` relies on where its requests wait.
public enum PushedAuthorizationStoreCases {
  /// All rules. It is 1760000000, by the clock that the store should have.
  public static let all: [StoreCase<any PushedAuthorizationStore>] = TakenOnceCases(
    record: "request", records: "requests", reference: "reference", full: { record },
    other: { PushedAuthorizationRecord(parameters: [:], clientID: "other", expiration: record.expiration) },
    numbered: { number in
      PushedAuthorizationRecord(
        parameters: ["state": "\(number)"], clientID: "app \(number)", expiration: record.expiration)
    },
    named: { text in
      PushedAuthorizationRecord(
        parameters: FormFields([(text, text), ("state", text), (text, "")]), clientID: text,
        expiration: record.expiration)
    },
    octets: { $0.serialized() },
    insert: { try await $0.insert($1, reference: $2) },
    take: { try await $0.take(reference: $1) }
  ).all

  static let record = PushedAuthorizationRecord(
    parameters: ["state": "\u{E9}'\"\\ +&=", "resource": "a", "resource": "b", "": ""], clientID: "app",
    expiration: NumericDate(1_760_000_060).advanced(by: 0.25))
}
