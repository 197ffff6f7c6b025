import JOSE
import PureCrypto

/// Which access tokens.
public enum AccessTokenSelection: Sendable, Hashable {
  /// The one of this name: `jti`.
  case token(String)
  /// Those that came of the grant of this name: ``AuthorizationCodeGrant/id``.
  case grant(String)

  /// What names it among the records.
  package var storageKey: String {
    switch self {
    case .token(let name): "token " + name
    case .grant(let name): "grant " + name
    }
  }

  /// Compares bytes.
  public static func == (lhs: AccessTokenSelection, rhs: AccessTokenSelection) -> Bool {
    WireName(lhs.storageKey) == rhs.storageKey
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { storageKey.utf8.forEach { hasher.combine($0) } }
}

/// The access tokens that ended before their time, for those who must judge one: introspection, the
/// provider's own resources.
///
/// Source: RFC 7009 §2, RFC 6749 §4.1.2.
public struct RevokedTokens: Sendable {
  package static let kind = StoredRecord.Kind(library: "revoked-access-token")

  private let records: any RecordStore
  private let clock: WallClock

  /// A list.
  ///
  /// - Parameters:
  ///   - records: shared by all machines of the provider, and with what issues its codes.
  ///   - clock: dates what is noted.
  public init(records: any RecordStore, clock: WallClock = .system) { (self.records, self.clock) = (records, clock) }

  /// Notes that tokens have ended.
  ///
  /// - Parameters:
  ///   - selection: which. Noted twice, they stay until the later time.
  ///   - end: when the last of them would have expired; until then they are known. Afterwards they may be forgotten.
  /// - Throws: `ErrorCode.storeUnavailable`, and then nothing is revoked: a store that is full forgets no other
  ///   token for this one.
  public func revoke(_ selection: AccessTokenSelection, until end: NumericDate) async throws(OpenIDError) {
    var record = StoredRecord(
      kind: Self.kind, key: Array(selection.storageKey.utf8), createdAt: clock.now, expiresAt: end, document: [],
      attempt: SystemRandom.bytes(count: 16))
    _ = try await OpenIDError.askingStore {
      try await records.update(Self.kind, key: record.key) { known in
        if let known, known.expiresAt.map({ $0 >= end }) ?? true { return [] }
        record.version = known?.version ?? 0
        return [known == nil ? .insert(record) : .replace(record)]
      }
    }
  }

  /// Whether one of these was noted: a token by its own name, and by its grant's.
  ///
  /// - Throws: `ErrorCode.storeUnavailable`; the token is then not good, or who asked comes again.
  public func isRevoked(anyOf selections: [AccessTokenSelection]) async throws(OpenIDError) -> Bool {
    for selection in selections {
      let key = Array(selection.storageKey.utf8)
      if try await OpenIDError.askingStore({ try await records.record(Self.kind, key: key) }) != nil { return true }
    }
    return false
  }
}

extension RevokedTokens: Redacted {}
