import PureCrypto

/// A hash function by the name that vector files give it.
enum HashFunction: String {
  case sha256 = "SHA-256"
  case sha384 = "SHA-384"
  case sha512 = "SHA-512"

  init(named name: String) throws(VectorFault) {
    guard let function = HashFunction(rawValue: name) else { throw .notImplemented(name) }
    self = function
  }

  /// The length of its digests.
  var digestByteCount: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  func hash(_ message: [UInt8]) -> [UInt8] {
    switch self {
    case .sha256: Array(SHA2.SHA256.hash(message))
    case .sha384: Array(SHA2.SHA384.hash(message))
    case .sha512: Array(SHA2.SHA512.hash(message))
    }
  }

  /// The hash of a message that comes piece by piece.
  func hash(pieces: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
    switch self {
    case .sha256: Self.hash(pieces, with: SHA2.SHA256())
    case .sha384: Self.hash(pieces, with: SHA2.SHA384())
    case .sha512: Self.hash(pieces, with: SHA2.SHA512())
    }
  }

  private static func hash<Function: SHA2Function>(
    _ pieces: some Sequence<ArraySlice<UInt8>>, with function: Function
  ) -> [UInt8] {
    var function = function
    for piece in pieces { function.update(piece) }
    return Array(function.finalize())
  }
}
