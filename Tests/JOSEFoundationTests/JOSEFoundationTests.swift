// JOSEFoundationTests
