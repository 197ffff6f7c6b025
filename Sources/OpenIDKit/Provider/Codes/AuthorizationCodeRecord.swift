import JOSE
import PureCrypto
import StrictJSON

/// An authorization code, as a store keeps it. The code itself is not in it.
public struct AuthorizationCodeRecord: Sendable, Equatable {
  /// What has become of a code. More may be added; compare, don't switch exhaustively.
  public struct Use: Sendable, Hashable, CustomStringConvertible {
    /// The use's stable name.
    public let description: String

    private init(_ name: String) { description = name }

    /// Nobody has presented it.
    public static let unused = Use("unused")
    /// It was presented once, and is good no more.
    public static let used = Use("used")
    /// It was presented again: what it gave has ended.
    public static let reused = Use("reused")

    static let all = [unused, used, reused]
  }

  /// SHA-256 of the code, 32 octets: the record's name.
  public let codeHash: [UInt8]
  /// Counts the writes, for compare-and-set.
  public var version: UInt64
  /// What the code stands for.
  public let grant: AuthorizationCodeGrant
  /// When the code is good no more.
  public let expiration: NumericDate
  /// What has become of it.
  public var use: Use
  /// From when on the record may be removed: a code that was used stays, so that a second use is known for what it is.
  public var removableAt: NumericDate

  /// A record as a store has it. The service makes new ones by ``AuthorizationCodeService/issue(_:)``.
  public init(
    codeHash: [UInt8], version: UInt64, grant: AuthorizationCodeGrant, expiration: NumericDate, use: Use,
    removableAt: NumericDate
  ) {
    (self.codeHash, self.version, self.grant, self.expiration) = (codeHash, version, grant, expiration)
    (self.use, self.removableAt) = (use, removableAt)
  }

  /// The record as JSON, for stores that keep bytes.
  ///
  /// A database needs columns of its own for ``codeHash``, ``version`` and ``removableAt``.
  public func serialized() -> [UInt8] {
    let object: JSONObject = [
      "version": 1, "code": .string(Base64URL.encode(codeHash)), "revision": .number(JSONNumber(version)),
      "grant": .object(grant.jsonObject), "expiration": StoredJSON.number(expiration.secondsSince1970),
      "use": .string(use.description), "removableAt": StoredJSON.number(removableAt.secondsSince1970),
    ]
    return object.serialized()
  }

  /// Reads a record that ``serialized()`` wrote.
  ///
  /// - Throws: ``TokenRefreshErrorCode/recordMalformed``.
  public init(parsing json: some Collection<UInt8>) throws(TokenRefreshError) {
    do throws(JSONError) {
      let object = try JSONObject(parsing: json)
      let name = try object.string("use")
      guard try object.integer("version") == 1, let hash = try? Base64URL.decode(object.string("code")),
        let use = Use.all.first(where: { $0.description.hasSameBytes(as: name) })
      else { throw JSONError(.typeMismatch, "not a code of this version") }
      self.init(
        codeHash: hash, version: try StoredJSON.counter(object.number("revision")),
        grant: try AuthorizationCodeGrant(object.object("grant")),
        expiration: try StoredJSON.date(object.number("expiration")), use: use,
        removableAt: try StoredJSON.date(object.number("removableAt")))
    } catch {
      throw TokenRefreshError(.recordMalformed, "the stored code can't be read")
    }
  }
}

extension AuthorizationCodeRecord: Redacted {
  /// The client and what has become of the code.
  public var description: String { "AuthorizationCodeRecord(\(use), to \(grant.clientID))" }
}
