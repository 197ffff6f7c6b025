/// Texts that are passed in place of a key or a token, and say by themselves what went wrong.
package enum MistakenText {
  /// Whether a text is what a program writes for a variable that was never set, and nothing else.
  package static func isUnset(_ text: some Collection<UInt8>) -> Bool {
    guard text.count <= 16 else { return false }
    return ["undefined", "null", "nil", "None", "[object Object]"].contains { text.elementsEqual($0.utf8) }
  }

  /// Whether a text is the path of a file: it begins as paths do, or is one word that ends as names of key files do.
  package static func isPath(_ text: some Collection<UInt8>) -> Bool {
    if ["/", "./", "../", "~/"].contains(where: { text.starts(with: $0.utf8) }) { return true }
    guard text.count <= 1024, !text.contains(where: PEMBlock.isWhiteSpace) else { return false }
    return [".pem", ".key", ".p8", ".pub", ".der", ".crt", ".cer", ".json", ".jwk"].contains { ending in
      text.dropFirst(max(0, text.count - ending.utf8.count)).elementsEqual(ending.utf8)
    }
  }

  /// A text without the white space around it. Nothing is copied: it may be a key after all.
  package static func trimmed<Text: BidirectionalCollection<UInt8>>(_ text: Text) -> Text.SubSequence {
    let begun = text.drop(while: PEMBlock.isWhiteSpace)
    let last = begun.lastIndex { !PEMBlock.isWhiteSpace($0) }
    return begun[..<(last.map { begun.index(after: $0) } ?? begun.startIndex)]
  }
}
