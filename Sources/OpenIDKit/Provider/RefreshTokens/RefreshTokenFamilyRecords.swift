import JOSE
import PureCrypto

/// Families of refresh tokens in a provider's records, by their names.
///
/// A family that is active is found by each of its indexes, one that was revoked by its name alone.
package struct RefreshTokenFamilyRecords: Sendable {
  package static let kind = StoredRecord.Kind(library: "refresh-token-family")

  package let records: any RecordStore
  private let idleTimeout: Duration?

  package init(_ records: any RecordStore, idleTimeout: Duration?) {
    (self.records, self.idleTimeout) = (records, idleTimeout)
  }

  /// The family of that name.
  ///
  /// - Throws: `ErrorCode.recordMalformed` if what is stored can't be read; what the store throws.
  package func family(_ id: RefreshTokenFamily.ID) async throws -> RefreshTokenFamily? {
    try await stored(id).map(Self.family)
  }

  /// The record of the family of that name.
  ///
  /// - Throws: what the store throws.
  func stored(_ id: RefreshTokenFamily.ID) async throws -> StoredRecord? {
    try await records.record(Self.kind, key: id.octets)
  }

  /// Records of the active families that fit, the oldest first. Those that can't be read are among them.
  ///
  /// - Throws: what the store throws.
  package func active(_ selection: FamilySelection, limit: Int) async throws -> [StoredRecord] {
    try await records.records(Self.kind, where: selection.index, limit: limit)
  }

  /// Puts a family in the place of the stored one, which must have its version still. Returns false if it has not.
  ///
  /// - Parameter indexes: those of the stored one, for a family that stays active: they depend on nothing that changes.
  /// - Throws: what the store throws.
  package func replace(
    with family: RefreshTokenFamily, indexes: [StoredRecord.Index]? = nil
  ) async throws -> Bool {
    try await records.settle([.replace(record(of: family, indexes: indexes))]) == .done
  }

  /// The family of a record.
  ///
  /// - Throws: `ErrorCode.recordMalformed`.
  package static func family(in record: StoredRecord) throws(OpenIDError) -> RefreshTokenFamily {
    var family = try RefreshTokenFamily(parsing: record.document)
    guard family.id.octets == record.key else {
      throw OpenIDError(.recordMalformed, "the stored family has another key")
    }
    family.version = record.version
    return family
  }

  /// The record of a family.
  package func record(of family: RefreshTokenFamily, indexes: [StoredRecord.Index]? = nil) -> StoredRecord {
    StoredRecord(
      kind: Self.kind, key: family.id.octets, version: family.version, indexes: indexes ?? family.indexes,
      createdAt: family.createdAt, expiresAt: expiration(of: family), document: family.serialized(),
      attempt: SystemRandom.bytes(count: 16))
  }

  /// 90 days after the family's end, from when on its reuse need not be recognised any more.
  private func expiration(of family: RefreshTokenFamily) -> NumericDate? {
    let end: NumericDate?
    if case .revoked(_, let date) = family.status {
      end = date
    } else {
      let idleEnd = idleTimeout.map { family.lastUsedAt.advanced(by: $0) }
      end = [family.absoluteExpiration, idleEnd].compactMap { $0 }.min()
    }
    // In whole days, so that most redemptions don't move it and a database has no index to write.
    let day = 86_400.0
    return end.map { NumericDate(saturating: ($0.secondsSince1970 / day + 90).rounded(.up) * day) }
  }
}

extension RefreshTokenFamily {
  fileprivate var indexes: [StoredRecord.Index] {
    guard status == .active else { return [] }
    let selections: [FamilySelection?] = [
      .subject(grant.subject), .client(grant.clientID), .subjectAndClient(grant.subject, grant.clientID),
      grant.sessionID.map(FamilySelection.session), grant.deviceSecretID.map(FamilySelection.deviceSecret),
      grant.grantID.map(FamilySelection.grant), .createdBefore(createdAt),
    ]
    return selections.compactMap { $0?.index }
  }
}
