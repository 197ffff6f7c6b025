// VectorRunner
