import PureCrypto

/// A hash function of whole messages by the name that vector files give it: one that HMAC and signatures take, or
/// SHA-3.
enum MessageHash {
  case sha2(HashFunction)
  case sha3(SHA3.Size)

  init(named name: String) throws(VectorFault) {
    switch name {
    case "SHA3-256": self = .sha3(.bits256)
    case "SHA3-384": self = .sha3(.bits384)
    case "SHA3-512": self = .sha3(.bits512)
    default: self = .sha2(try HashFunction(named: name))
    }
  }

  func hash(_ message: [UInt8]) -> [UInt8] {
    switch self {
    case .sha2(let function): function.hash(message)
    case .sha3(let size): SHA3.hash(message, size)
    }
  }

  /// The hash of a message that comes piece by piece.
  func hash(pieces: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
    switch self {
    case .sha2(let function):
      return function.hash(pieces: pieces)
    case .sha3(let size):
      var hash = SHA3(size)
      for piece in pieces { hash.update(piece) }
      return hash.finalize()
    }
  }
}
