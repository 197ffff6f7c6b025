/// What BoringSSL in swift-crypto says of the processor.
enum BoringSSL {
  #if os(Linux) && arch(x86_64)
    /// CPUID's EDX and ECX of leaf 1 and EBX and ECX of leaf 7, by index, after the environment has had its say. Not in
    /// swift-crypto's interface, which has no other way to tell.
    @_silgen_name("CCryptoBoringSSL_OPENSSL_get_ia32cap")
    private static func capabilities(_ index: Int32) -> UInt32

    /// EBX of leaf 7 in the lower half, ECX in the upper.
    static var extensions: UInt64? { UInt64(capabilities(3)) << 32 | UInt64(capabilities(2)) }
  #else
    /// Nothing: macOS has CryptoKit in its place, and other processors no such variable.
    static var extensions: UInt64? { nil }
  #endif
}
