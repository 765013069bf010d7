// The report in Go, in the shape of the challenge's last program: one goroutine reads lines and hands them on in batches, others split
// them and count, and a lock guards the totals.
//
//	go build -o benches/peers/target/challenge benches/peers/challenge.go
package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
)

const batchLines = 64 * 1024

type counts struct {
	months, firstNames map[string]int
}

var firstName = regexp.MustCompile(`, \s*([^, ]+)`)

func (c counts) add(line string) {
	columns := strings.Split(line, "|")
	if len(columns) < 8 {
		return
	}
	if month := columns[4]; len(month) >= 6 {
		c.months[month[:4]+"-"+month[4:6]]++
	}
	// Most names need no expression: "LAST, FIRST MIDDLE".
	_, rest, found := strings.Cut(strings.TrimSpace(columns[7]), ", ")
	if !found {
		return
	}
	if first, _, _ := strings.Cut(rest, " "); first != "" && !strings.Contains(first, ",") {
		c.firstNames[first]++
	} else if match := firstName.FindStringSubmatch(columns[7]); match != nil {
		c.firstNames[match[1]]++
	}
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	batches := make(chan []string, 8)
	total := counts{map[string]int{}, map[string]int{}}
	var lock sync.Mutex
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Add(1)
		go func() {
			defer workers.Done()
			own := counts{map[string]int{}, map[string]int{}}
			for batch := range batches {
				for _, line := range batch {
					own.add(line)
				}
			}
			lock.Lock()
			defer lock.Unlock()
			for month, lines := range own.months {
				total.months[month] += lines
			}
			for name, lines := range own.firstNames {
				total.firstNames[name] += lines
			}
		}()
	}
	lines := 0
	batch := make([]string, 0, batchLines)
	scanner := bufio.NewScanner(file)
	scanner.Buffer(make([]byte, 1<<20), 1<<20)
	for scanner.Scan() {
		lines++
		batch = append(batch, scanner.Text())
		if len(batch) == batchLines {
			batches <- batch
			batch = make([]string, 0, batchLines)
		}
	}
	batches <- batch
	close(batches)
	workers.Wait()
	if err := scanner.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("lines|%d\n", lines)
	for month, lines := range total.months {
		fmt.Printf("%s|%d\n", month, lines)
	}
	for name, lines := range total.firstNames {
		fmt.Printf("%s|%d\n", name, lines)
	}
}
