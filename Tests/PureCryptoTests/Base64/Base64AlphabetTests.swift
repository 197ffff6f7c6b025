import Testing

@testable import PureCrypto

/// Every road through base64 beside a plain one, which goes bit by bit.
@Suite("base64 on every backend")
struct Base64AlphabetTests {
  /// One of those that share a road is enough: `aesni` and `neon` go that of `portable`, and `avx2vaes` and
  /// `avx512ifma` those of the ones before them.
  static let backends = Backend.available.filter { ["portable", "avx2", "avx512"].contains($0.description) }
  static let alphabets: [(Base64Alphabet, symbols: [UInt8])] = [
    (.standard, Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)),
    (.url, Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)),
  ]

  @Test("every length up to 200 octets is the text of a plain encoder, and comes back", arguments: backends)
  func lengths(_ backend: Backend) {
    for (alphabet, symbols) in Self.alphabets {
      for count in 0...200 {
        let bytes = testBytes(count: count, seed: UInt64(count))
        let text = plainText(bytes, symbols)
        #expect(guardedEncoded(bytes, alphabet, backend) == text)
        #expect(guardedDecoded(text, alphabet, backend) == bytes)
      }
    }
  }

  @Test("text of every length up to 200 characters is legal exactly for a plain decoder", arguments: backends)
  func textLengths(_ backend: Backend) {
    for (alphabet, symbols) in Self.alphabets {
      for count in 0...200 {
        let random = testBytes(count: count, seed: UInt64(count)).map { symbols[Int($0 & 63)] }
        #expect(guardedDecoded(random, alphabet, backend) == plainOctets(random, symbols))
        let zeros = [UInt8](repeating: 0x41, count: count)
        #expect(guardedDecoded(zeros, alphabet, backend) == plainOctets(zeros, symbols))
      }
    }
  }

  @Test("every six bits at every place of three vectors", arguments: backends)
  func values(_ backend: Backend) {
    let (alphabet, symbols) = Self.alphabets[1]
    var text = [UInt8](repeating: 0x41, count: 176)
    var wrong: [Int] = []
    for place in text.indices {
      for symbol in symbols {
        text[place] = symbol
        let octets = plainOctets(text, symbols)
        if decoded(text, alphabet, backend) != octets || encoded(octets ?? [], alphabet, backend) != text {
          wrong.append(place)
        }
      }
      text[place] = 0x41
    }
    #expect(wrong == [])
  }

  @Test("every foreign octet is refused at every place of three vectors", arguments: backends)
  func foreign(_ backend: Backend) {
    for (alphabet, symbols) in Self.alphabets {
      let foreign = (UInt8.min...UInt8.max).filter { !symbols.contains($0) }
      for count in [43, 176] {
        var text = [UInt8](repeating: 0x41, count: count)
        var accepted: [Int] = []
        for place in text.indices {
          for octet in foreign {
            text[place] = octet
            if decoded(text, alphabet, backend) != nil { accepted.append(place) }
          }
          text[place] = 0x41
        }
        #expect(accepted == [])
      }
    }
  }

  @Test("of all groups of two characters those are legal that leave no bit over", arguments: backends)
  func pairs(_ backend: Backend) {
    for (alphabet, symbols) in Self.alphabets {
      var legal: [[UInt8]] = []
      for first in UInt8.min...UInt8.max {
        for second in UInt8.min...UInt8.max where decoded([first, second], alphabet, backend) != nil {
          legal.append([first, second])
        }
      }
      // In the order of the octets, which is not that of the characters.
      let all = (UInt8.min...UInt8.max).map { plainText([$0], symbols) }
      #expect(Set(legal) == Set(all))
      #expect(legal.count == 256)
    }
  }

  @Test("of all groups of three characters of the alphabet those are legal that leave no bit over", arguments: backends)
  func triples(_ backend: Backend) {
    let (alphabet, symbols) = Self.alphabets[1]
    var group: [UInt8] = [0, 0, 0]
    var output: [UInt8] = [0, 0]
    var wrong = 0
    for (a, first) in symbols.enumerated() {
      group[0] = first
      for (b, second) in symbols.enumerated() {
        group[1] = second
        for (c, third) in symbols.enumerated() {
          group[2] = third
          let isLegal = group.withUnsafeBytes { group in
            output.withUnsafeMutableBytes { alphabet.decode(group, into: $0, backend: backend) }
          }
          let bits = a << 12 | b << 6 | c
          if isLegal != (c & 3 == 0) || (isLegal && Int(output[0]) << 8 | Int(output[1]) != bits >> 2) { wrong += 1 }
        }
      }
    }
    #expect(wrong == 0)
  }

  @Test("nothing is written past the room, and too little room is refused", arguments: backends)
  func bounds(_ backend: Backend) {
    for count in 0...200 {
      let bytes = testBytes(count: count)
      let text = plainText(bytes, Self.alphabets[1].symbols)
      var output = [UInt8](repeating: 0xA5, count: text.count + 64)
      output.withUnsafeMutableBufferPointer { output in
        bytes.withUnsafeBytes {
          Base64Alphabet.url.encode(
            $0, into: UnsafeMutableBufferPointer(rebasing: output[..<text.count]), backend: backend)
        }
      }
      #expect(output.dropFirst(text.count).allSatisfy { $0 == 0xA5 })
      output = [UInt8](repeating: 0xA5, count: count + 64)
      let outcomes = output.withUnsafeMutableBytes { output in
        text.withUnsafeBytes { text in
          [count, count - 1].map { room in
            room >= 0
              && Base64Alphabet.url.decode(
                text, into: UnsafeMutableRawBufferPointer(rebasing: output[..<room]), backend: backend)
          }
        }
      }
      #expect(outcomes == [true, false])
      #expect(output.dropFirst(count).allSatisfy { $0 == 0xA5 })
    }
  }

  // MARK: - The road under test

  private func encoded(_ bytes: [UInt8], _ alphabet: Base64Alphabet, _ backend: Backend) -> [UInt8] {
    let count = Base64Alphabet.encodedCount(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: count) { output, initializedCount in
      bytes.withUnsafeBytes {
        alphabet.encode($0, into: UnsafeMutableBufferPointer(rebasing: output[..<count]), backend: backend)
      }
      initializedCount = count
    }
  }

  private func decoded(_ text: [UInt8], _ alphabet: Base64Alphabet, _ backend: Backend) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: Base64Alphabet.decodedCount(text.count) ?? 0)
    let isLegal = text.withUnsafeBytes { text in
      output.withUnsafeMutableBytes { alphabet.decode(text, into: $0, backend: backend) }
    }
    return isLegal ? output : nil
  }

  /// The same, between input and output that end before guard pages.
  private func guardedEncoded(_ bytes: [UInt8], _ alphabet: Base64Alphabet, _ backend: Backend) -> [UInt8] {
    let room = [UInt8](repeating: 0, count: Base64Alphabet.encodedCount(bytes.count))
    return withGuardedBytes(bytes, room) { areas in
      alphabet.encode(
        UnsafeRawBufferPointer(areas[0]), into: areas[1].bindMemory(to: UInt8.self), backend: backend)
      return Array(areas[1])
    }
  }

  private func guardedDecoded(_ text: [UInt8], _ alphabet: Base64Alphabet, _ backend: Backend) -> [UInt8]? {
    let room = [UInt8](repeating: 0, count: Base64Alphabet.decodedCount(text.count) ?? 0)
    return withGuardedBytes(text, room) { areas in
      alphabet.decode(UnsafeRawBufferPointer(areas[0]), into: areas[1], backend: backend) ? Array(areas[1]) : nil
    }
  }

  // MARK: - The plain one

  private func plainText(_ bytes: [UInt8], _ symbols: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 & 0xFFFF | Int(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        text.append(symbols[bits >> bitCount & 63])
      }
    }
    if bitCount > 0 { text.append(symbols[bits << (6 - bitCount) & 63]) }
    return text
  }

  private func plainOctets(_ text: [UInt8], _ symbols: [UInt8]) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var octets: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for character in text {
      guard let value = symbols.firstIndex(of: character) else { return nil }
      bits = bits << 6 & 0xFFFF | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        octets.append(UInt8(bits >> bitCount & 255))
      }
    }
    return bits & (1 << bitCount - 1) == 0 ? octets : nil
  }
}
