package charset

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// multibyte is an encoding of ASCII and East Asian characters. The tables are
// those of golang.org/x/text, whose decoders write U+FFFD for what they do not
// understand and whose GB18030 encoder gives some characters of the private
// use area the bytes of others. Therefore both directions are verified by
// going back.
type multibyte struct{ encoding.Encoding }

// chunkFor is how much text is verified at a time, in bytes of UTF-8.
func chunkFor(stored []byte) int {
	return min(16<<10, utf8.UTFMax*len(stored))
}

func (c multibyte) decode(stored []byte) (text []byte, bad int, ok bool) {
	size, bad, ok := c.measure(stored)
	if !ok {
		return nil, bad, false
	}
	text = make([]byte, size)
	n, _, _ := c.NewDecoder().Transformer.Transform(text, stored, true)
	return text[:n], 0, true
}

// measure returns how long the text of stored is if it comes back byte for byte
// when encoded, else the offset of the first byte that does not. It needs no
// memory to speak of and stops at the first difference.
func (c multibyte) measure(stored []byte) (size, bad int, ok bool) {
	decoder, encoder := c.NewDecoder().Transformer, c.NewEncoder().Transformer
	text := make([]byte, chunkFor(stored))
	back := make([]byte, 2*len(text)) // U+0080 to U+07FF have four bytes in GB18030
	for at := 0; at < len(stored); {
		written, read, _ := decoder.Transform(text, stored[at:], true)
		n, _, err := encoder.Transform(back, text[:written], true)
		same := commonPrefix(back[:n], stored[at:at+read])
		if err != nil || same < read || same < n {
			return 0, at + same, false
		}
		size += written
		at += read
	}
	return size, 0, true
}

func (c multibyte) encode(mark string, text []byte) (stored []byte, done int) {
	encoder := c.NewEncoder().Transformer
	// Most characters are shorter in these encodings than in UTF-8.
	stored = make([]byte, len(mark)+len(text)+utf8.UTFMax)
	size := copy(stored, mark)
	for {
		written, read, err := encoder.Transform(stored[size:], text[done:], true)
		size += written
		done += read
		if !errors.Is(err, transform.ErrShortDst) {
			break
		}
		stored = append(stored, make([]byte, len(stored)/2)...)
	}
	stored = stored[:size]
	return stored, c.comesBack(stored[len(mark):], text[:done])
}

// comesBack returns how much of text decoding stored gives, in whole
// characters.
func (c multibyte) comesBack(stored, text []byte) int {
	decoder := c.NewDecoder().Transformer
	back := make([]byte, chunkFor(stored))
	done := 0
	for len(stored) > 0 && done < len(text) {
		written, read, _ := decoder.Transform(back, stored, true)
		stored = stored[read:]
		same := commonPrefix(back[:written], text[done:])
		done += same
		if same < written {
			for done > 0 && done < len(text) && !utf8.RuneStart(text[done]) {
				done--
			}
			break
		}
	}
	return done
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	if bytes.Equal(a[:n], b[:n]) {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
