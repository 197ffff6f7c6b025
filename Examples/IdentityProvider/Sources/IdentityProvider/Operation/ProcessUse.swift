import Foundation

/// What this process takes of the machine, as far as the system tells.
struct ProcessUse: Sendable {
  var memory: Int?
  var openFiles: Int?
  var openFileLimit: Int?

  /// As Linux has it in `/proc`; other systems tell the limit alone.
  static var now: ProcessUse {
    var use = ProcessUse()
    if let text = FileManager.default.contents(atPath: "/proc/self/statm") {
      let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) }
      use.memory = pages.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }
    use.openFiles = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    var limit = rlimit()
    #if canImport(Glibc)
      let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    #else
      let isKnown = getrlimit(RLIMIT_NOFILE, &limit) == 0
    #endif
    if isKnown { use.openFileLimit = Int(clamping: limit.rlim_cur) }
    return use
  }

  /// By the names that Prometheus's own clients use.
  var gauges: [TextMetrics.Gauge] {
    [
      ("process_resident_memory_bytes", memory), ("process_open_fds", openFiles), ("process_max_fds", openFileLimit),
    ].compactMap { name, value in value.map { (name: name, value: Double($0)) } }
  }
}
