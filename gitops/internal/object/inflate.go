package object

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"io"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
)

// pools keep the buffers of readers and writers of deflated data: a new
// writer costs more than the deflating of a small object. And the bases.
type pools struct {
	readers, writers, buffers sync.Pool
	bases                     bases
}

// buffer gives an empty buffer, to be put back into buffers.
func (p *pools) buffer() *bytes.Buffer {
	if b, _ := p.buffers.Get().(*bytes.Buffer); b != nil {
		b.Reset()
		return b
	}
	return new(bytes.Buffer)
}

// An inflater reads one deflated stream after another.
type inflater struct {
	br *bufio.Reader
	zr io.ReadCloser // nil before the first stream

	// The beginning of an entry in a pack: what precedes the deflated bytes, and of
	// them what nearly always holds the lengths of a delta, after the tables.
	begin [192]byte
	mem   bytes.Reader
}

func (p *pools) reader(r io.Reader) *inflater {
	f, _ := p.readers.Get().(*inflater)
	if f == nil {
		return &inflater{br: bufio.NewReaderSize(r, 4<<10)}
	}
	f.br.Reset(r)
	return f
}

func (p *pools) putReader(f *inflater) { p.readers.Put(f) }

// start begins to inflate at the current position.
func (f *inflater) start() error {
	var err error
	if f.zr == nil {
		f.zr, err = zlib.NewReader(f.br)
	} else {
		err = f.zr.(zlib.Resetter).Reset(f.br, nil)
	}
	if err != nil {
		return damaged("%v", err)
	}
	return nil
}

// rest reads what is left, which must be exactly size bytes.
func (f *inflater) rest(size int64) ([]byte, error) {
	// A size out of a damaged header must not be believed before the bytes
	// have come.
	const believed = 64 << 20
	var data []byte
	var err error
	if size <= believed {
		data = make([]byte, size)
		_, err = io.ReadFull(f.zr, data)
	} else {
		b := bytes.NewBuffer(make([]byte, 0, believed))
		_, err = io.CopyN(b, f.zr, size)
		data = b.Bytes()
	}
	if err != nil {
		return nil, damaged("%v", err)
	}
	return data, f.end()
}

// end checks that the stream ends here, with its checksum.
func (f *inflater) end() error {
	var one [1]byte
	switch n, err := f.zr.Read(one[:]); {
	case n > 0:
		return damaged("longer than its header says")
	case err != io.EOF:
		return damaged("%v", err)
	}
	return nil
}

// deflate appends the zlib stream of the parts to dst. Level 1: the content
// is kept for weeks, not for ever, and git's gc packs it anew.
func (p *pools) deflate(dst *bytes.Buffer, parts ...[]byte) error {
	w := p.writer(dst)
	defer p.writers.Put(w)
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

func (p *pools) writer(dst io.Writer) *zlib.Writer {
	if w, _ := p.writers.Get().(*zlib.Writer); w != nil {
		w.Reset(dst)
		return w
	}
	w, err := zlib.NewWriterLevel(dst, zlib.BestSpeed)
	if err != nil {
		panic(fmt.Sprint("object: ", err)) // only a level out of range
	}
	return w
}

// halved is the size from which one object is deflated by two workers.
const halved = 2 << 20

// deflateHalves appends the zlib stream of data, whose halves are deflated at
// the same time: a flush ends the first on a byte, and without a reference
// from the second into it the two make one stream.
func deflateHalves(dst *bytes.Buffer, data []byte) error {
	first, second := data[:len(data)/2], data[len(data)/2:]
	var tail bytes.Buffer
	var tailErr error
	var wg sync.WaitGroup
	wg.Go(func() { tailErr = deflatePart(&tail, second, (*flate.Writer).Close) })
	dst.Write([]byte{0x78, 0x01}) // RFC 1950: deflate, window of 32 KiB, fastest
	headErr := deflatePart(dst, first, (*flate.Writer).Flush)
	check := adler32.Checksum(data)
	wg.Wait()
	dst.Write(tail.Bytes())
	dst.Write(binary.BigEndian.AppendUint32(nil, check))
	if headErr != nil {
		return headErr
	}
	return tailErr
}

func deflatePart(dst *bytes.Buffer, data []byte, end func(*flate.Writer) error) error {
	w, err := flate.NewWriter(dst, flate.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	return end(w)
}
