// VectorTests
