// JOSECommandTests
