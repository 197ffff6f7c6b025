import JOSE
import PureCrypto

/// Where a document with secrets lives, which several processes may share: a keychain item, a file, a row.
///
/// One store holds one document at most: the tokens of one login, or what the apps of a vendor share. Both methods must
/// be durable when they return. `SecretStoreCases` of the product `IdentityTesting` check an implementation.
public protocol SecretStore: Sendable {
  /// The document with its version, or nil if there is none.
  ///
  /// What a store can't decipher is an empty document: it has a version, so that another may take its place.
  /// - Throws: anything, if the store doesn't answer. Then nothing is known, and the store is asked again.
  func load() async throws -> StoredSecret?

  /// Puts a document in the place of the stored one, in one atomic step: write beside, then rename; or one keychain
  /// update; or one conditional SQL statement.
  ///
  /// - Parameters:
  ///   - version: the version that must be stored now, compared as octets; nil if there must be no document.
  ///   - document: the new document, or nil to remove.
  /// - Returns: the version that the new document has from now on, so that its writer need not load it; of a removal,
  ///   octets that mean nothing. Nil, with nothing changed, if another version is stored.
  /// - Throws: anything; the old document or the new one is then there.
  func replace(expecting version: [UInt8]?, with document: [UInt8]?) async throws -> [UInt8]?
}

/// A document as a store has it.
public struct StoredSecret: Sendable {
  /// What the library wrote. Secret.
  public let document: [UInt8]
  /// Tells this document from those before and after it, in the store's own form.
  public let version: [UInt8]

  /// A document and its version.
  public init(document: [UInt8], version: [UInt8]) {
    (self.document, self.version) = (document, version)
  }
}

extension StoredSecret: Redacted {}

/// A document in memory: gone with the process.
public actor MemorySecretStore: SecretStore {
  private var document: [UInt8]?
  private var writeCount: UInt64 = 0

  /// A store with a document, or empty.
  public init(_ document: [UInt8]? = nil) { self.document = document }

  /// The document, or nil if there is none.
  public func load() -> StoredSecret? { document.map { StoredSecret(document: $0, version: version) } }

  /// Replaces the document if it has the expected version, and returns the new one.
  public func replace(expecting version: [UInt8]?, with document: [UInt8]?) -> [UInt8]? {
    guard version == (self.document == nil ? nil : self.version) else { return nil }
    self.document = document
    writeCount += 1
    return self.version
  }

  private var version: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: writeCount >> (56 - 8 * $0)) } }
}

extension MemorySecretStore: Redacted {}
