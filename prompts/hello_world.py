# Prints a greeting from Python.
print("Hello, World from Python!")
