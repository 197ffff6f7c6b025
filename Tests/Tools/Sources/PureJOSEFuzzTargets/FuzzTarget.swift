/// A surface that reads outside bytes, and what must hold for any of them.
package struct FuzzTarget: Sendable {
  /// What the command line, the corpus and the report call it.
  package let name: String

  /// The longest input worth trying.
  package let maximumByteCount: Int

  /// Legal inputs and near misses to start from.
  package let seeds: @Sendable (VectorFolderReader) throws -> [[UInt8]]

  /// Words that random bytes would take long to hit upon.
  package let dictionary: [String]

  /// Takes any bytes, and says whether something accepted them. Throws ``LawBroken`` if something that must hold does
  /// not; a trap is found by the process that dies.
  package let run: @Sendable ([UInt8]) throws -> Bool

  init(
    _ name: String, maximumByteCount: Int = 512, dictionary: [String] = [],
    seeds: @escaping @Sendable (VectorFolderReader) throws -> [[UInt8]],
    run: @escaping @Sendable ([UInt8]) throws -> Bool
  ) {
    self.name = name
    self.maximumByteCount = maximumByteCount
    self.seeds = seeds
    self.dictionary = dictionary
    self.run = run
  }

  /// Every target, in the order of the layers.
  package static let all: [FuzzTarget] =
    encodingTargets + jsonTargets + kernelTargets + keyTargets + certificateTargets
    + latticeTargets + encryptedKeyTargets + jwsTargets + jweTargets + sdJWTTargets + statusListTargets
    + keyServiceTargets
    + httpTargets + platformSSORequestTargets + platformSSOResponseTargets
    + platformSSOAdministrationTargets + platformSSOProviderTargets
    + nativeSSOTargets + signInWithAppleTargets + tokenRefreshTargets + oauthMessageTargets + loginTargets
    + vectorTargets
}

/// Something that must hold for every input did not hold for one.
package struct LawBroken: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) {
    self.description = description
  }
}

/// Requires a law of the target.
func require(_ holds: Bool, _ law: @autoclosure () -> String) throws {
  guard holds else { throw LawBroken(description: law()) }
}

extension FuzzTarget: CustomStringConvertible {
  package var description: String { name }
}
