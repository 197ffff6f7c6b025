#if canImport(CryptoKit)
  import CryptoKit
  import Foundation
  import JOSE

  /// A P-256 signing key in the Secure Enclave, for ES256.
  ///
  /// Make a ``JOSE/SigningKey`` of it: `SigningKey(try SecureEnclaveSigner(key))`.
  public struct SecureEnclaveSigner: ExternalSigner {
    private let key: SecureEnclave.P256.Signing.PrivateKey

    /// The public key, for ES256.
    public let verificationKey: VerificationKey

    /// Takes a key of the Secure Enclave.
    ///
    /// - Throws: `ErrorCode.keyInvalid` if the key's public half can't be read.
    public init(_ key: SecureEnclave.P256.Signing.PrivateKey, keyID: String? = nil) throws(JOSEError) {
      self.key = key
      verificationKey = try VerificationKey(
        es256X963Representation: key.publicKey.x963Representation, keyID: keyID)
    }

    /// Signs with the enclave; returns r ‖ s.
    /// - Throws: CryptoKit's error, such as that the user did not unlock the key.
    public func signature(for signingInput: [UInt8]) throws -> [UInt8] {
      // CryptoKit hashes with SHA-256 and returns r ‖ s here.
      Array(try key.signature(for: Data(signingInput)).rawRepresentation)
    }
  }

  /// A P-256 key agreement key in the Secure Enclave, for ECDH-ES.
  ///
  /// Make a ``JOSE/DecryptionKey`` of it: `try DecryptionKey(SecureEnclaveKeyAgreement(key))`.
  public struct SecureEnclaveKeyAgreement: ExternalKeyAgreement {
    private let key: SecureEnclave.P256.KeyAgreement.PrivateKey

    /// Takes a key of the Secure Enclave.
    public init(_ key: SecureEnclave.P256.KeyAgreement.PrivateKey) {
      self.key = key
    }

    /// The public key as 65 octets `04 ‖ X ‖ Y`.
    public var publicKeyX963Representation: [UInt8] { Array(key.publicKey.x963Representation) }

    /// The shared secret Z, 32 octets, computed by the enclave.
    /// - Throws: CryptoKit's error, such as that the user did not unlock the key.
    public func sharedSecret(withPublicKeyX963Representation publicKey: [UInt8]) throws -> [UInt8] {
      let publicKey = try P256.KeyAgreement.PublicKey(x963Representation: publicKey)
      // Copied before the closure returns.
      return try unsafe key.sharedSecretFromKeyAgreement(with: publicKey).withUnsafeBytes { unsafe Array($0) }
    }
  }
#endif
