// Windows and WASI have neither owners of files nor locks that end with a process.
#if !os(Windows) && !os(WASI)
  import JOSEFoundation
  import OpenIDKit

  /// One login's record in a file of mode 0600, for command-line tools and services without a keychain.
  ///
  /// A new content is written beside the file, flushed, and renamed over it, so that a crash leaves the old one or the
  /// new one. Writers of all processes take turns through a lock file.
  public struct FileTokenStore: TokenStore {
    private var files: PrivateFiles
    private let name: String

    /// Runs after the new content has been written and before it takes the old one's place. For tests of crashes.
    package var beforeRename: @Sendable () throws -> Void {
      get { files.beforeRename }
      set { files.beforeRename = newValue }
    }

    /// A store.
    ///
    /// - Parameters:
    ///   - directory: made with mode 0700 if it is not there.
    ///   - name: the login's: another one for each.
    /// - Throws: `FileStoreError` if the directory can't be made, or is readable by others; ``FileNameInvalid`` for a
    ///   name that is no plain name of a file.
    public init(directory: String, name: String = "login") throws {
      guard FileNameInvalid.allows(name) else { throw FileNameInvalid() }
      files = try PrivateFiles(directory: directory)
      self.name = name + ".json"
    }

    /// The record, or nil if there is none.
    ///
    /// - Throws: `FileStoreError`, what reading the file throws, and `TokenRefreshError` with the code
    ///   `recordMalformed`.
    public func load() throws -> TokenRecord? {
      try files.read(name).map { try TokenRecord(parsing: $0) }
    }

    /// Replaces the record if it has the expected version.
    ///
    /// - Throws: `FileStoreError`, and what reading and writing throw. The file then has the old content or the new
    ///   one.
    public func replace(_ expected: TokenRecord.Version?, with record: TokenRecord?) throws -> Bool {
      var isReplaced = false
      try files.change(name) { content in
        // What can't be read is not a record.
        let stored = content.flatMap { try? TokenRecord(parsing: $0) }?.version
        guard stored.map({ stored in expected.map { stored.isSame(as: $0) } ?? false }) ?? (expected == nil) else {
          return .none
        }
        isReplaced = true
        return record.map { .write($0.serialized()) } ?? .remove
      }
      return isReplaced
    }
  }

  /// The name is not a plain name of a file: 1 to 100 letters, digits, `-` and `_`.
  public struct FileNameInvalid: Error, Sendable {
    static func allows(_ name: String) -> Bool {
      (1...100).contains(name.utf8.count)
        && name.utf8.allSatisfy { byte in
          switch byte {
          case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
          default: false
          }
        }
    }
  }
#endif
