import JOSE
import PureCrypto
import SQLStores

extension Storage {
  /// The issuer in the database, which all servers have: clients would otherwise see two issuers by turns.
  ///
  /// - Parameters:
  ///   - new: an issuer to write first, if there is none.
  ///   - replaces: whether to write it in any case.
  func issuer(writing new: String?, replaces: Bool = false, at now: NumericDate) async throws -> String? {
    try await shared("issuer", writing: new.map { Array($0.utf8) }, replaces: replaces, at: now)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the secrets are those of the other servers: tokens and pages of one would otherwise be unknown to the
  /// next. The first server writes what shows it, which tells nothing of the keys.
  func belongs(to secrets: ProviderSecrets, at now: NumericDate) async throws -> Bool {
    let mark = try [secrets.refreshTokenKey, secrets.nonceKey].flatMap { key in
      try HMACSHA256(key: key).text(of: "which keys this provider has").utf8
    }
    return try await shared("secrets", writing: mark, at: now).map { $0.elementsEqual(mark) } ?? true
  }

  /// What all servers of the database have in common, by its name.
  private func shared(
    _ name: String, writing new: [UInt8]?, replaces: Bool = false, at now: NumericDate
  ) async throws -> [UInt8]? {
    guard let kind = StoredRecord.Kind(application: "provider") else { return nil }
    let (records, key) = (driver.records, Array(name.utf8))
    let known = try await records.record(kind, key: key)
    if let new, known == nil || replaces {
      let record = StoredRecord(
        kind: kind, key: key, version: known?.version ?? 0, createdAt: now, document: new, attempt: [])
      // Of two processes that write at once one does, and both then read what it wrote.
      _ = try await records.commit([known == nil ? .insert(record) : .replace(record)])
    }
    return try await records.record(kind, key: key)?.document
  }

  /// The settings with the issuer in the database. A server writes its own if it is the first one; a command may have
  /// none.
  func withIssuer(_ settings: ProviderSettings, at now: NumericDate) async throws -> ProviderSettings {
    let isServer = settings.makesFolder && !settings.issuer.isEmpty
    guard let stored = try await issuer(writing: isServer ? settings.issuer : nil, at: now) else { return settings }
    guard [stored, ""].contains(settings.issuer) else {
      throw StartRefusal(
        "The servers of this database have the issuer \(stored), not \(settings.issuer): give --issuer \(stored). "
          + "If the provider moves, stop all servers, and run idp migrate --issuer \(settings.issuer).")
    }
    var settings = settings
    settings.issuer = stored
    return settings
  }
}

extension Provider {
  /// Gives the provider another issuer. A server that runs would keep the former one.
  ///
  /// - Throws: ``StartRefusal``, what the database throws.
  package func move(to issuer: String) async throws {
    try ProviderSettings(issuer: issuer, folder: settings.folder).checkIssuer()
    _ = try await storage.issuer(writing: issuer, replaces: true, at: clock.now)
    await audit.record(.init("issuer.changed", detail: issuer))
  }
}
