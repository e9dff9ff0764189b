# Prints one greeting: the smallest snippet that shows Python works.
print("Hello, World from Python!")
