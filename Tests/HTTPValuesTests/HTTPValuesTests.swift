// HTTPValuesTests
