import JOSE
import PureCrypto
import StrictJSON

/// An authorization code, as it is kept. The code itself is not in it.
package struct AuthorizationCodeRecord: Sendable, Equatable {
  /// What has become of a code. More may be added; compare, don't switch exhaustively.
  package struct Use: Sendable, Hashable, CustomStringConvertible {
    /// The use's stable name.
    package let description: String

    private init(_ name: String) { description = name }

    /// It has not been presented.
    package static let unused = Use("unused")
    /// It was presented once, and is good no more.
    package static let used = Use("used")
    /// It was presented again: what it gave has ended.
    package static let reused = Use("reused")

    static let all = [unused, used, reused]
  }

  /// SHA-256 of the code, 32 octets: the record's name.
  package let codeHash: [UInt8]
  /// The version that was read.
  package var version: UInt64
  /// What the code stands for.
  package let grant: AuthorizationCodeGrant
  /// When the code is good no more.
  package let expiration: NumericDate
  /// What has become of it.
  package var use: Use
  /// From when on the record may be removed: a code that was used stays, so that a second use is known for what it is.
  package var removableAt: NumericDate
  /// The record of the device secret that its use made, if it made one: if the code comes again, that ends too.
  package var deviceSecretID: String?

  /// A code as it is kept.
  package init(
    codeHash: [UInt8], version: UInt64, grant: AuthorizationCodeGrant, expiration: NumericDate, use: Use,
    removableAt: NumericDate
  ) {
    (self.codeHash, self.version, self.grant, self.expiration) = (codeHash, version, grant, expiration)
    (self.use, self.removableAt) = (use, removableAt)
  }

  /// The document of its record.
  package func serialized() -> [UInt8] {
    var object: JSONObject = [
      "version": 1, "code": .string(Base64URL.encode(codeHash)),
      "grant": .object(grant.jsonObject), "expiration": StoredJSON.number(expiration.secondsSince1970),
      "use": .string(use.description), "removableAt": StoredJSON.number(removableAt.secondsSince1970),
    ]
    object["deviceSecret"] = deviceSecretID.map { .string($0) }
    return object.serialized()
  }

  /// Reads a record that ``serialized()`` wrote.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  package init(parsing json: some Collection<UInt8>) throws(OpenIDError) {
    do throws(JSONError) {
      let object = try JSONObject(parsing: json)
      let name = WireName(try object.string("use"))
      guard try object.integer("version") == 1, let hash = try? Base64URL.decode(object.string("code")),
        let use = Use.all.first(where: { $0.description == name })
      else { throw JSONError(.typeMismatch, "not a code of this version") }
      self.init(
        codeHash: hash, version: 0,
        grant: try AuthorizationCodeGrant(object.object("grant")),
        expiration: try StoredJSON.date(object.number("expiration")), use: use,
        removableAt: try StoredJSON.date(object.number("removableAt")))
      deviceSecretID = try object.string(ifPresent: "deviceSecret")
    } catch {
      throw OpenIDError(.recordMalformed, "the stored code can't be read")
    }
  }
}

extension AuthorizationCodeRecord: Redacted {}
