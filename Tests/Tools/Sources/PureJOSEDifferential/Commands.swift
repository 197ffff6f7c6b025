import PureCrypto

/// What the campaign may ask for, by name.
enum Commands {
  typealias Command = (Request) throws -> [[UInt8]]

  static var all: [String: Command] {
    [hashing, ciphers, primeCurves, curve25519, lattices, rsa, encoding, own]
      .reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
  }

  /// About the driver itself.
  private static var own: [String: Command] {
    [
      "backends": { _ in Backend.available.map { Array($0.description.utf8) } },
      // Reads one octet too many or one too early; the page there must end the process.
      "read beyond": { request in
        let operand = request[0]
        guard let start = operand.baseAddress else { return [] }
        let place = request.side == .end ? operand.count : -1
        return [[start.load(fromByteOffset: place, as: UInt8.self)]]
      },
    ]
  }

  static func backend(_ name: String) throws -> Backend {
    guard let backend = Backend.available.first(where: { $0.description == name }) else { throw NoSuchName() }
    return backend
  }

  struct NoSuchName: Error {}

  static func verdict(_ isValid: Bool) -> [[UInt8]] { [[isValid ? 1 : 0]] }

  static func octets(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }
  static func octets(_ secret: SharedSecret) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }
}
