import Foundation

/// The limit of open files, which include connections.
enum OpenFiles {
  /// Raises the limit as far as the system allows and as far as it helps. Returns it.
  static func raiseLimit() -> Int {
    #if canImport(Darwin)
      let resource = RLIMIT_NOFILE
    #else
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    let before = limit.rlim_cur
    limit.rlim_cur = max(before, min(limit.rlim_max, 10_240))
    return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before)
  }
}
