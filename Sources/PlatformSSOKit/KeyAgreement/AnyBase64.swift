import JOSE

/// Base64 as peers write it: in either alphabet, padded or not. A text with both alphabets is refused.
enum AnyBase64 {
  static func decode(_ text: String) -> [UInt8]? {
    var characters = Array(text.utf8)
    let padding = characters.reversed().prefix { $0 == 0x3D }.count
    guard padding <= 2, padding == 0 || characters.count % 4 == 0 else { return nil }
    characters.removeLast(padding)
    if !characters.contains(where: { $0 == 0x2D || $0 == 0x5F }) {
      characters = characters.map { $0 == 0x2B ? 0x2D : $0 == 0x2F ? 0x5F : $0 }
    }
    return try? Base64URL.decode(utf8: characters)
  }
}
