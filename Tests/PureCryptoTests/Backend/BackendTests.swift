import PureCrypto
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

@Suite("Backends")
struct BackendTests {
  @Test("the portable backend is always there, and the preferred one is among those that the machine has")
  func availability() {
    print("Backends of this machine: \(Backend.available.map(\.description).joined(separator: ", "))")
    print("Preferred: \(Backend.preferred)")
    #expect(Backend.available.first == .portable)
    #expect(Backend.available.contains(.preferred))
  }

  @Test("the environment's wish is granted if it can be")
  func environment() {
    guard let value = getenv("PUREJOSE_BACKEND") else {
      #expect(Backend.preferred == Backend.available.last)
      return
    }
    let wanted = String(cString: value)
    if Backend.available.contains(where: { $0.description == wanted }) {
      #expect(Backend.preferred.description == wanted)
    } else {
      #expect(Backend.preferred == Backend.available.last)
    }
  }
}
