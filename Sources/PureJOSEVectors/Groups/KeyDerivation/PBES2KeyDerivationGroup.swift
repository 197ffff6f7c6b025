import JOSE
import PureCrypto

/// The wrapping key that PBES2 makes from a password.
struct PBES2KeyDerivationGroup: BareGroup {
  func run(_ test: MemberReader) throws -> Verdict {
    let name = try test.string("alg")
    let password = SecretBytes(copying: try test.octets("password"))
    let saltInput = try test.octets("p2s")
    let iterationCount = try test.integer("p2c", in: 0...10_000_000)
    let expected = try test.octets("derivedKey")
    guard let algorithm = KeyManagementAlgorithm(name: name) else { throw VectorFault.notImplemented(name) }
    let key = try PasswordKey.derive(
      algorithm, password: password, saltInput: saltInput, iterationCount: iterationCount)
    return .accepted(if: key.octets == expected)
  }
}
