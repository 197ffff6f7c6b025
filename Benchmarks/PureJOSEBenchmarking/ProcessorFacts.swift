import Foundation

/// What the system says of its processor.
struct ProcessorFacts {
  let model: String
  let extensions: [String]

  /// In the spelling of /proc/cpuinfo, on x86-64 and on ARM.
  private static let interesting: Set<Substring> = [
    "aes", "pclmulqdq", "sha_ni", "bmi2", "adx", "avx2", "vaes", "vpclmulqdq", "avx512f", "avx512ifma", "pmull", "sha2",
    "sha512",
  ]

  #if os(macOS)
    static func current() -> ProcessorFacts {
      var byteCount = 0
      sysctlbyname("machdep.cpu.brand_string", nil, &byteCount, nil, 0)
      var name = [UInt8](repeating: 0, count: byteCount)
      sysctlbyname("machdep.cpu.brand_string", &name, &byteCount, nil, 0)
      return ProcessorFacts(model: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self), extensions: [])
    }
  #else
    static func current() -> ProcessorFacts {
      let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
      var facts: [String: Substring] = [:]
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { continue }
        let name = parts[0].trimmingCharacters(in: .whitespaces)
        if facts[name] == nil { facts[name] = parts[1] }
      }
      var model = facts["model name"]?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
      // Virtual machines often hide the name; family and model still tell the generation.
      if let family = facts["cpu family"], let number = facts["model"] {
        model += " (family\(family), model\(number))"
      }
      let flags = (facts["flags"] ?? facts["Features"] ?? "").split(separator: " ")
      return ProcessorFacts(model: model, extensions: flags.filter(interesting.contains).map(String.init).sorted())
    }
  #endif
}
