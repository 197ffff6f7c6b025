// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import LocalAuthentication
internal import PureCrypto
import Security

/// A Secure Enclave without an enclave: the keys lie in memory.
public enum SecureEnclave: Sendable {
  public static var isAvailable: Bool { true }

  public enum P256: Sendable {
    public enum Signing: Sendable {
      public struct PrivateKey: Sendable {
        private let key = P256PrivateKey()
        public let publicKey: CryptoKit.P256.Signing.PublicKey

        public init(
          compactRepresentable: Bool = true,
          accessControl: SecAccessControl = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage], nil)!,
          authenticationContext: LAContext? = nil
        ) throws {
          publicKey = try CryptoKit.P256.Signing.PublicKey(x963Representation: key.publicKey.x963Representation)
        }

        /// Hashes with SHA-256 and signs.
        public func signature<D: DataProtocol>(for data: D) throws -> CryptoKit.P256.Signing.ECDSASignature {
          let signature = key.signature(for: Array(data)).rawRepresentation
          return try CryptoKit.P256.Signing.ECDSASignature(rawRepresentation: signature)
        }
      }
    }

    public enum KeyAgreement: Sendable {
      public struct PrivateKey: Sendable {
        private let key = P256PrivateKey()
        public let publicKey: CryptoKit.P256.KeyAgreement.PublicKey

        public init(
          compactRepresentable: Bool = true,
          accessControl: SecAccessControl = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage], nil)!,
          authenticationContext: LAContext? = nil
        ) throws {
          publicKey = try CryptoKit.P256.KeyAgreement.PublicKey(x963Representation: key.publicKey.x963Representation)
        }

        public func sharedSecretFromKeyAgreement(
          with publicKeyShare: CryptoKit.P256.KeyAgreement.PublicKey
        ) throws -> SharedSecret {
          SharedSecret(octets: try key.sharedSecret(with: publicKeyShare.key).withUnsafeBytes(Array.init))
        }
      }
    }
  }
}
