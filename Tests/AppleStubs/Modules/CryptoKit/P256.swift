// Apple and the C libraries document these.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
internal import PureCrypto

// The curve's public half, with CryptoKit's names and signatures. Behind them is PureCrypto: what a signature or a
// secret is, two libraries agree on.

/// An error of CryptoKit.
public enum CryptoKitError: Error {
  case incorrectKeySize
  case incorrectParameterSize
  case authenticationFailure
  case underlyingCoreCryptoError(error: Int32)
  case wrapFailure
  case unwrapFailure
  case invalidParameter
}

public enum P256: Sendable {
  public enum Signing: Sendable {
    public struct PublicKey: Sendable {
      let key: P256PublicKey

      public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws {
        key = try P256PublicKey(x963: x963Representation)
      }

      public var x963Representation: Data { Data(key.x963Representation) }
    }

    public struct ECDSASignature: Sendable, ContiguousBytes {
      /// r ‖ s.
      public let rawRepresentation: Data

      public init<D: DataProtocol>(rawRepresentation: D) throws {
        guard rawRepresentation.count == 64 else { throw CryptoKitError.incorrectParameterSize }
        self.rawRepresentation = Data(rawRepresentation)
      }

      public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try rawRepresentation.withUnsafeBytes(body)
      }
    }
  }

  public enum KeyAgreement: Sendable {
    public struct PublicKey: Sendable {
      let key: P256PublicKey

      public init<Bytes: ContiguousBytes>(x963Representation: Bytes) throws {
        key = try P256PublicKey(x963: x963Representation)
      }

      public var x963Representation: Data { Data(key.x963Representation) }
    }
  }
}

/// A shared secret, which only a key derivation, or a caller who insists, gets at.
public struct SharedSecret: ContiguousBytes, Sendable {
  let octets: [UInt8]

  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try octets.withUnsafeBytes(body)
  }
}

extension P256PublicKey {
  fileprivate init(x963 bytes: some ContiguousBytes) throws {
    self = try bytes.withUnsafeBytes { try P256PublicKey(x963Representation: Array($0)) }
  }
}
