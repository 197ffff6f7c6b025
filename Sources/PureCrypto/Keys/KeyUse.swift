/// What a key is for. A key has one use, so that nothing that one protocol does with it tells anything of what another
/// does.
///
/// The markers are the last parameter of ``ECPrivateKey``, ``ECPublicKey``, ``RSAPrivateKey`` and ``RSAPublicKey``:
/// what a key is not for, it has no function for. A caller that must use one key twice reads it twice, on purpose.
/// Source: NIST SP 800-57 Part 1 §5.2.
public enum KeyUse {
  /// A use whose private keys sign, and whose public keys verify.
  public protocol Signs {}
  /// A use whose keys agree on secrets.
  public protocol Agrees {}
  /// A use whose public keys encrypt, and whose private keys decrypt.
  public protocol Encrypts {}

  /// Signatures: `use` is `sig` in JOSE.
  public enum Signing: Signs {}
  /// Key agreement: ECDH.
  public enum Agreement: Agrees {}
  /// Encryption of other keys: RSAES-OAEP.
  public enum Encryption: Encrypts {}

  /// Every use, for key material that has just been read, before anybody has said what it is for, and for vectors.
  package enum All: Signs, Agrees, Encrypts {}
}
