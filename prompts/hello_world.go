// Prints one greeting: the smallest snippet that shows Go works.
package main

import "fmt"

func main() {
	fmt.Println("Hello, World from Go!")
}
