// Prints a greeting from Go.
package main

import "fmt"

func main() {
	fmt.Println("Hello, World from Go!")
}
