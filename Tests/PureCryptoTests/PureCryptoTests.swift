// PureCryptoTests
