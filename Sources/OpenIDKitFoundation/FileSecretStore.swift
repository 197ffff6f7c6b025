// Windows and WASI have neither owners of files nor locks that end with a process.
#if !os(Windows) && !os(WASI)
  import JOSEFoundation
  import OpenIDKit
  import PureCrypto

  /// A document in a file of mode 0600: for Linux and Android encrypted under a key of the caller's, for command-line
  /// tools without a place for a key in the clear.
  ///
  /// A new content is written beside the file, flushed, and renamed over it, so that a crash leaves the old one or the
  /// new one. Writers of all processes take turns through a lock file.
  ///
  /// With a key, AES-GCM under a fresh initialization vector keeps the content secret, and stops an attacker with the
  /// disk from changing it or putting the file of another name in its place. An old content of the same file is
  /// not told from the current one.
  public struct FileSecretStore: SecretStore {
    private var files: PrivateFiles
    private let name: String
    private let cipher: AESGCM?

    /// Runs after the new content has been written and before it takes the old one's place. For tests of crashes.
    package var beforeRename: @Sendable () throws -> Void {
      get { files.beforeRename }
      set { files.beforeRename = newValue }
    }

    /// A store.
    ///
    /// - Parameters:
    ///   - directory: made with mode 0700 if it is not there.
    ///   - name: the document's: another one for each, of 1 to 100 letters, digits, `-` and `_`.
    ///   - key: 16, 24 or 32 random octets, such as those that Android's key store unwraps; nil for a file in the
    ///     clear. A file that was written with another key, or in the clear, is not this store's.
    /// - Throws: `FileStoreError` if the directory can't be made, or is readable by others; ``FileNameInvalid`` for a
    ///   name that is no plain name of a file; `CryptoError` for a key of another length.
    public init(directory: String, name: String = "login", key: [UInt8]?) throws {
      guard FileNameInvalid.allows(name) else { throw FileNameInvalid() }
      cipher = try key.map { try AESGCM(key: $0) }
      files = try PrivateFiles(directory: directory)
      self.name = name + (key == nil ? ".json" : ".sealed")
    }

    /// The document with its version, or nil if there is none. What the key doesn't open is an empty document.
    ///
    /// - Throws: `FileStoreError`, and what reading the file throws.
    public func load() throws -> StoredSecret? {
      try files.read(name).map { StoredSecret(document: opened($0), version: Self.version($0)) }
    }

    /// Replaces the document if it has the expected version, and returns the new one.
    ///
    /// - Throws: `FileStoreError`, `CryptoError` after 2³² writes, and what reading and writing throw. The file then
    ///   has the old content or the new one.
    public func replace(expecting version: [UInt8]?, with document: [UInt8]?) throws -> [UInt8]? {
      var newVersion: [UInt8]?
      try files.change(name) { content in
        guard content.map(Self.version) == version else { return .none }
        guard let document else {
          newVersion = []
          return .remove
        }
        let new = try sealed(document)
        newVersion = Self.version(new)
        return .write(new)
      }
      return newVersion
    }

    /// The content itself tells one version from another.
    private static func version(_ content: [UInt8]) -> [UInt8] { Array(SHA2.SHA256.hash(content)) }

    // MARK: Encryption

    /// 1, the initialization vector, the ciphertext, the authentication tag.
    private static let form: UInt8 = 1

    private func sealed(_ document: [UInt8]) throws(CryptoError) -> [UInt8] {
      guard let cipher else { return document }
      let box = try cipher.seal(document, authenticating: Array(name.utf8))
      return [Self.form] + Array(box.initializationVector) + box.ciphertext
        + box.authenticationTag
    }

    private func opened(_ content: [UInt8]) -> [UInt8] {
      guard let cipher else { return content }
      let (vectorCount, tagCount) = (AESGCM.InitializationVector.byteCount, AESGCM.tagByteCount)
      guard content.count >= 1 + vectorCount + tagCount, content[0] == Self.form,
        let vector = try? AESGCM.InitializationVector(content[1...vectorCount]),
        let document = try? cipher.open(
          ciphertext: Array(content[(1 + vectorCount)..<(content.count - tagCount)]),
          authenticationTag: Array(content.suffix(tagCount)), initializationVector: vector,
          authenticating: Array(name.utf8))
      else { return [] }
      return document
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
