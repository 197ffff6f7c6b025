import PureCrypto
import Synchronization

/// A public key on P-256 that makes a table of its multiples once it has been used several times.
///
/// A server meets the same issuer's key again and again; with the table a verification needs a fraction of the time.
/// Making it costs a few verifications, so a key that is met once or twice never gets one. Copies of the key share
/// count and table.
package final class PreparableP256Key: Sendable {
  package let publicKey: P256PublicKey

  private final class Table: Sendable {
    let prepared: P256VerificationKey.Prepared
    init(_ prepared: P256VerificationKey.Prepared) { self.prepared = prepared }
  }

  private let uses = Atomic(0)
  private let table = AtomicLazyReference<Table>()

  /// Verifications after which the table pays for itself if as many are still to come.
  static let usesBeforePreparation = 4

  package init(_ publicKey: P256PublicKey) {
    self.publicKey = publicKey
  }

  /// Whether the table exists.
  package var isPrepared: Bool { table.load() != nil }

  /// Makes the table now. Of several callers at once, one wins and the others use its table.
  func prepare() {
    guard !isPrepared else { return }
    _ = table.storeIfNil(Table(publicKey.prepared()))
  }

  func isValidSignature(_ signature: P256Signature, for signingInput: UnsafeRawBufferPointer) -> Bool {
    if let table = table.load() { return unsafe table.prepared.isValidSignature(signature, for: signingInput) }
    // Wrapping is harmless: a key reaches the threshold long before.
    if uses.wrappingAdd(1, ordering: .relaxed).newValue == Self.usesBeforePreparation { prepare() }
    return unsafe publicKey.isValidSignature(signature, for: signingInput)
  }
}
