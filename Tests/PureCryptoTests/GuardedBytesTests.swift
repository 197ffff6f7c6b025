import Testing

@Suite("Octets before a guard page") struct GuardedBytesTests {
  @Test func `guarded octets are those given, and can be read and written`() {
    for count in [0, 1, 63, 4095, 4096, 4097] {
      let octets = testBytes(count: count)
      withGuardedBytes(octets, [1]) { areas in
        #expect(Array(areas[0]) == octets && Array(areas[1]) == [1])
        for index in octets.indices { areas[0][index] ^= 0xff }
        #expect(Array(areas[0]) == octets.map { ~$0 })
      }
    }
  }

  #if os(macOS) || os(Linux)
    @Test func `reading the octet behind guarded octets ends the process`() async {
      await #expect(processExitsWith: .failure) {
        withGuardedBytes([1, 2, 3]) { areas in
          let last = areas[0].baseAddress.map { $0 + 3 }
          print(last?.load(as: UInt8.self) as Any)
        }
      }
    }
  #endif
}
