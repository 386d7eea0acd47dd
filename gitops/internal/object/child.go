package object

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// A child is one `git cat-file --batch`, started when the first object is
// found nowhere else: objects of a format that this package does not read, or
// that git can still come by.
type child struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	deaths int // it dies of objects that a partial clone has not fetched
}

const maxDeaths = 3

func (c *child) read(command func(...string) *exec.Cmd, id ID) (Type, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if command == nil || c.deaths >= maxDeaths {
		return 0, nil, ErrMissing
	}
	if c.cmd == nil {
		if err := c.start(command); err != nil {
			c.deaths = maxDeaths // no such program
			return 0, nil, ErrMissing
		}
	}
	typ, data, err := c.ask(id)
	if err != nil && !errors.Is(err, ErrMissing) {
		c.deaths++
		c.end()
		return 0, nil, ErrMissing
	}
	return typ, data, err
}

func (c *child) start(command func(...string) *exec.Cmd) error {
	cmd := command("cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmd, c.in, c.out = cmd, in, bufio.NewReader(out)
	return nil
}

// ask speaks the protocol: "<id>\n", then "<id> <type> <size>\n", the content
// and "\n", or "<id> missing\n".
func (c *child) ask(id ID) (Type, []byte, error) {
	if _, err := io.WriteString(c.in, id.String()+"\n"); err != nil {
		return 0, nil, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return 0, nil, err
	}
	words := strings.Fields(line)
	if len(words) == 2 && words[1] == "missing" {
		return 0, nil, ErrMissing
	}
	if len(words) != 3 {
		return 0, nil, errors.New("unexpected answer of git cat-file: " + line)
	}
	typ, err := plumbing.ParseObjectType(words[1])
	if err != nil {
		return 0, nil, err
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil {
		return 0, nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return 0, nil, err
	}
	return typ, data[:size], nil
}

func (c *child) end() error {
	if c.cmd == nil {
		return nil
	}
	c.in.Close()
	err := c.cmd.Wait()
	c.cmd = nil
	return err
}

func (c *child) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end()
}
