// The one file of the command that calls the C library, and the one of the package that starts a program.
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Why the system doesn't open, read or write a file.
struct FileFault: Error {
  /// As `errno` has it.
  let code: Int32

  /// What to say of a file.
  ///
  /// - Parameter isNew: whether the file was to be made, so that it is its folder that is absent.
  func reason(_ path: String, isNew: Bool) -> String {
    if SystemInterface.kind(of: path) == .folder { return "it is a folder" }
    return code == ENOENT && isNew ? "no such folder" : Self.reason(code)
  }

  /// What an `errno` means.
  static func reason(_ code: Int32) -> String {
    switch code {
    case ENOENT: "no such file"
    case ENOTDIR: "a part of its path is no folder"
    case EACCES, EPERM: "no permission"
    case EISDIR: "it is a folder"
    case EEXIST: "it is there already, and is not replaced"
    case EROFS: "the volume is read-only"
    case ENOSPC: "the volume is full"
    case EMFILE, ENFILE: "too many files are open"
    default: "error \(code) of the system"
    }
  }
}

/// What the command asks of the operating system.
///
/// The C library gets addresses of variables and arrays that live for the call, with their counts, and keeps none of
/// them. What it returns to be freed is freed here.
enum SystemInterface {
  /// What stands at a path.
  enum FileKind { case file, folder, other }

  /// Ends the process.
  static func end(with status: ExitStatus) -> Never { exit(status.rawValue) }

  /// - Parameter descriptor: 0 for standard input, 1 for standard output, 2 for standard error.
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// What stands at a path, or nil if nothing does.
  static func kind(of path: String, followsLinks: Bool = true) -> FileKind? {
    var status = stat()
    guard unsafe (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    switch status.st_mode & 0o170000 {
    case 0o040000: return .folder
    case 0o100000: return .file
    default: return .other
    }
  }

  /// A path from the root, without links; nil if nothing stands there.
  static func absolutePath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// The names in a folder, in no order; none if it can't be read.
  static func names(in path: String) -> [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      // The name ends with a zero, or with the field.
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { octets in
        unsafe String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// A file's content. It is read to its end and not to its size, which a pipe has none of: `--key <(command)` names
  /// one.
  ///
  /// - Parameter limit: reading ends with the first octet past this many.
  static func contents(ofFile path: String, upTo limit: Int = .max) throws(FileFault) -> [UInt8] {
    let descriptor = try opened(path, O_RDONLY)
    defer { close(descriptor) }
    return try contents(of: descriptor, upTo: limit)
  }

  /// What a file has from here to its end.
  static func contents(of descriptor: Int32, upTo limit: Int = .max) throws(FileFault) -> [UInt8] {
    var octets: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, isToBeTriedAgain(descriptor, POLLIN) { continue }
      guard count >= 0 else { throw FileFault(code: errno) }
      guard count > 0 else { return octets }
      octets += buffer[..<min(count, limit == .max ? count : limit + 1 - octets.count)]
      guard octets.count <= limit else { return octets }
    }
  }

  /// Writes a file that is its owner's alone, from the moment it is there.
  ///
  /// - Parameter isNew: whether nothing may stand at the path.
  static func put(_ octets: [UInt8], intoFile path: String, isNew: Bool) throws(FileFault) {
    let descriptor = try opened(path, isNew ? O_WRONLY | O_CREAT | O_EXCL : O_WRONLY)
    defer { close(descriptor) }
    try put(octets, into: descriptor)
  }

  /// Writes all octets.
  static func put(_ octets: [UInt8], into descriptor: Int32) throws(FileFault) {
    var rest = octets[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, isToBeTriedAgain(descriptor, POLLOUT) { continue }
      guard count > 0 else { throw FileFault(code: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Whether what was interrupted may go on. Waits for a stream that another process has told not to.
  private static func isToBeTriedAgain(_ descriptor: Int32, _ event: some BinaryInteger) -> Bool {
    guard errno == EAGAIN else { return errno == EINTR }
    var polled = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return unsafe poll(&polled, 1, -1) >= 0 || errno == EINTR
  }

  private static func opened(_ path: String, _ flags: Int32) throws(FileFault) -> Int32 {
    let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFault(code: errno) }
    return descriptor
  }
}

// MARK: - Programs

extension SystemInterface {
  /// What a program left that has ended.
  struct ProgramOutput {
    let exitCode: Int32
    /// What it wrote to standard output, and to standard error.
    let output, errors: [UInt8]
  }

  /// Why a program gave nothing.
  enum ProgramFault: Error, Equatable {
    /// No program of the name is there.
    case notFound
    /// The system didn't start it, with an `errno`.
    case notStarted(Int32)
    /// Its settings don't fit into a pipe.
    case settingsTooLong
    /// It wrote more than may be read, or ran longer than it may, and was ended.
    case outputTooLong, tookTooLong
    /// It was ended by a signal.
    case killed
  }

  private struct Child {
    let identifier: pid_t
    let input, output, errors: Int32
  }

  /// Runs a program to its end: no shell, arguments as they are, and no variables but these.
  ///
  /// - Parameters:
  ///   - name: searched for in `PATH`, unless there is a slash in it.
  ///   - settings: what it reads from descriptor 3, `/dev/fd/3`: as much as a pipe holds, 16 KiB at least.
  ///   - input: what it reads from standard input. The rest is dropped if it stops reading.
  ///   - byteLimit: how much it may write to either stream.
  static func run(
    _ name: String, _ arguments: [String], environment: [String], settings: [UInt8], input: [UInt8], byteLimit: Int,
    timeLimit: Duration
  ) throws(ProgramFault) -> ProgramOutput {
    let child = try starting.withLock { _ in
      // Where a parent process ignores it, this one inherits that, and the system keeps no status of a program.
      _ = signal(SIGCHLD, SIG_DFL)
      return started(name, [name] + arguments, environment: environment, settings: settings)
    }.get()
    defer {
      close(child.input)
      close(child.output)
      close(child.errors)
    }
    let deadline = ContinuousClock.now + timeLimit
    let written = Result { () throws(ProgramFault) -> [[UInt8]] in
      try bothOutputs(of: child, for: input, byteLimit: byteLimit, until: deadline)
    }
    let ending = Self.ending(of: child.identifier, until: (try? written.get()) == nil ? .now : deadline)
    let outputs = try written.get()
    guard let ending, ending & 0x7F == 0 else { throw .killed }
    return ProgramOutput(exitCode: ending >> 8 & 0xFF, output: outputs[0], errors: outputs[1])
  }

  /// How a program ended, which is made to end when its time is over; nil if the system can't say.
  private static func ending(of program: pid_t, until deadline: ContinuousClock.Instant) -> Int32? {
    var status: Int32 = 0
    while true {
      let ended = unsafe waitpid(program, &status, WNOHANG)
      if ended == program { return status }
      guard ended == 0 || errno == EINTR else { return nil }
      if ContinuousClock.now >= deadline { kill(program, SIGKILL) }
      usleep(1000)
    }
  }

  /// One start at a time: between its making and its marking a pipe would be open in another program as well.
  private static let starting = Mutex(())

  private static func started(
    _ name: String, _ arguments: [String], environment: [String], settings: [UInt8]
  ) -> Result<Child, ProgramFault> {
    // Of standard input, output, error and the settings: the end for reading and the one for writing.
    var ends: [Int32] = []
    defer { for end in ends { close(end) } }
    for isInput in [true, false, false, false] {
      guard let pair = isInput ? socketEnds() : pipeEnds() else { return .failure(.notStarted(errno)) }
      ends += pair
    }
    // Written before anybody reads.
    let room = unsafe settings.withUnsafeBytes { octets in
      unsafe fcntl(ends[7], F_SETFL, O_NONBLOCK) == 0 ? write(ends[7], octets.baseAddress, octets.count) : -1
    }
    guard room == settings.count else { return .failure(.settingsTooLong) }
    #if canImport(Darwin) || canImport(Android)
      var actions: posix_spawn_file_actions_t? = nil
      var attributes: posix_spawnattr_t? = nil
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (end, descriptor) in [(ends[0], 0), (ends[3], 1), (ends[5], 2), (ends[6], 3)] as [(Int32, Int32)] {
      unsafe posix_spawn_file_actions_adddup2(&actions, end, descriptor)
    }
    // Threads of queues block signals, which the program is to obey.
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    unsafe sigemptyset(&noSignals)
    unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var identifier = pid_t()
    let code = unsafe withCStrings(arguments) { arguments in
      unsafe withCStrings(environment) { environment in
        unsafe posix_spawnp(&identifier, name, &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { return .failure(code == ENOENT ? .notFound : .notStarted(code)) }
    let child = Child(identifier: identifier, input: ends[1], output: ends[2], errors: ends[4])
    ends = [ends[0], ends[3], ends[5], ends[6], ends[7]]
    return .success(child)
  }

  /// A pipe's two ends above the descriptors that a program gets, which none inherits.
  private static func pipeEnds() -> [Int32]? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    return raised(ends)
  }

  /// The ends of two sockets instead: a reader of a pipe who is gone would end this process by a signal.
  private static func socketEnds() -> [Int32]? {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    var ends: [Int32] = [-1, -1]
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0, let ends = raised(ends) else { return nil }
    #if canImport(Darwin)
      var isOn: Int32 = 1
      setsockopt(ends[1], SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
    return ends
  }

  /// Sends what there is room for. Nil if the reader has closed its end.
  private static func sent(_ octets: ArraySlice<UInt8>, to socket: Int32) -> Int? {
    #if canImport(Darwin)
      let flags = MSG_DONTWAIT
    #else
      let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    #endif
    let count = unsafe octets.withUnsafeBytes { unsafe send(socket, $0.baseAddress, $0.count, flags) }
    if count < 0 { return [EINTR, EAGAIN].contains(errno) ? 0 : nil }
    return count
  }

  private static func raised(_ ends: [Int32]) -> [Int32]? {
    let raised = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 4) }
    for end in ends { close(end) }
    guard raised.contains(-1) else { return raised }
    for end in raised where end >= 0 { close(end) }
    return nil
  }

  private static func withCStrings(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
  ) -> Int32 {
    // Each copy lives until `body` has returned; the array that it gets ends with a null pointer, as C asks.
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
    defer { unsafe pointers.forEach { unsafe free($0) } }
    unsafe pointers.append(nil)
    return unsafe body(pointers)
  }

  /// What a program writes to both streams until it closes them, while it reads its input.
  private static func bothOutputs(
    of child: Child, for input: [UInt8], byteLimit: Int, until deadline: ContinuousClock.Instant
  ) throws(ProgramFault) -> [[UInt8]] {
    var unsent = input[...]
    var outputs: [[UInt8]] = [[], []]
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var polled = [child.output, child.errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    polled.append(pollfd(fd: child.input, events: Int16(POLLOUT), revents: 0))
    while polled[0].fd >= 0 || polled[1].fd >= 0 {
      let left = ContinuousClock.now.duration(to: deadline) / Duration.milliseconds(1)
      guard left > 0 else { throw .tookTooLong }
      let count = unsafe poll(&polled, nfds_t(polled.count), Int32(min(left.rounded(.up), 60_000)))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .notStarted(errno) }
      if polled[2].fd >= 0, polled[2].revents != 0 {
        if let count = sent(unsent, to: child.input) { unsent = unsent.dropFirst(count) } else { unsent = [] }
        if unsent.isEmpty {
          shutdown(child.input, Int32(SHUT_WR))
          polled[2].fd = -1
        }
      }
      for index in 0..<2 where polled[index].fd >= 0 && polled[index].revents != 0 {
        let descriptor = polled[index].fd
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          // poll(2) passes over what is negative.
          polled[index].fd = -1
          continue
        }
        guard count <= byteLimit - outputs[index].count else { throw .outputTooLong }
        outputs[index] += buffer[..<count]
      }
    }
    return outputs
  }
}
