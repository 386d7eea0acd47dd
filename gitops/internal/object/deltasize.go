package object

// deltaSize returns the second number of a deflated delta: the size of what it
// makes. A general inflater makes tables for hundreds of symbols and fills its
// window, which for these few bytes takes four times as long. ok is false for
// what is not the plain case, to be read in the general way; what follows the
// two numbers is not looked at.
func deltaSize(stream []byte) (size int64, ok bool) {
	// RFC 1950: deflate with a window of at most 32 KiB, no dictionary, and a check
	// of these two bytes.
	if len(stream) < 2 || stream[0]&0x8f != 8 || stream[1]&0x20 != 0 || (int(stream[0])<<8|int(stream[1]))%31 != 0 {
		return 0, false
	}
	h := head{in: stream[2:]}
	for last := false; !last; {
		last = h.bits(1) == 1
		sound := false
		switch h.bits(2) {
		case 0:
			sound = h.stored()
		case 1:
			sound = h.fixed() && h.block()
		case 2:
			sound = h.dynamic() && h.block()
		}
		if !sound {
			return 0, false
		}
		if size, ok := h.second(); ok || h.short {
			return size, ok
		}
	}
	return 0, false
}

// A head is the beginning of a deflated stream, as RFC 1951 describes it, read
// symbol by symbol.
type head struct {
	in    []byte
	hold  uint64 // bits that were taken from in, the next one lowest
	held  uint
	short bool // there were not enough

	lengths         [288 + 30]uint8 // of the codes of literals and lengths, then of distances
	literals        int             // how many of the former
	distances       int
	literal, offset huffman
	hasOffset       bool // offset is set: many heads need none

	out [headLen]byte
	n   int
}

// headLen holds two numbers of any length that an int64 can have.
const headLen = 20

func (h *head) bits(n uint) int {
	for h.held < n {
		if len(h.in) == 0 {
			h.short = true
			return 0
		}
		h.hold |= uint64(h.in[0]) << h.held
		h.in = h.in[1:]
		h.held += 8
	}
	v := h.hold & (1<<n - 1)
	h.hold >>= n
	h.held -= n
	return int(v)
}

// stored reads a block that is not deflated, or what of it finds place.
func (h *head) stored() bool {
	h.bits(h.held % 8)
	n := h.bits(16)
	if h.bits(16) != n^0xffff {
		return false
	}
	for range n {
		if h.n == len(h.out) {
			return true // both numbers are there, or never will be
		}
		b := h.bits(8)
		if h.short {
			return true
		}
		h.out[h.n] = byte(b)
		h.n++
	}
	return true
}

// A huffman is a canonical code by the number of codes of each length: no table
// is made for symbols that are not asked for.
type huffman struct {
	count   [16]int
	symbols [288]uint16 // in the order of their codes
}

// set makes the code of symbols with codes of these lengths, false if there are
// more than can be told apart.
func (c *huffman) set(lengths []uint8) bool {
	clear(c.count[:])
	for _, l := range lengths {
		c.count[l]++
	}
	c.count[0] = 0
	var at [17]int
	left := 1
	for l := 1; l < 16; l++ {
		if left = left<<1 - c.count[l]; left < 0 {
			return false
		}
		at[l+1] = at[l] + c.count[l]
	}
	for s, l := range lengths {
		if l != 0 {
			c.symbols[at[l]] = uint16(s)
			at[l]++
		}
	}
	return true
}

// symbol reads one, -1 if no symbol has such a code.
func (h *head) symbol(c *huffman) int {
	code, first, index := 0, 0, 0
	for l := 1; l < 16 && !h.short; l++ {
		code |= h.bits(1)
		if code-first < c.count[l] {
			return int(c.symbols[index+code-first])
		}
		index += c.count[l]
		first = (first + c.count[l]) << 1
		code <<= 1
	}
	return -1
}

// fixed sets the codes that need no description.
func (h *head) fixed() bool {
	for s := range 288 {
		switch {
		case s < 144:
			h.lengths[s] = 8
		case s < 256:
			h.lengths[s] = 9
		case s < 280:
			h.lengths[s] = 7
		default:
			h.lengths[s] = 8
		}
	}
	for s := range 30 {
		h.lengths[288+s] = 5
	}
	return h.codes(288, 30)
}

func (h *head) codes(literals, distances int) bool {
	h.literals, h.distances, h.hasOffset = literals, distances, false
	return h.literal.set(h.lengths[:literals])
}

// lengthOrder is the order in which the lengths of the code of lengths come.
var lengthOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the description of the codes.
func (h *head) dynamic() bool {
	literals, distances, n := h.bits(5)+257, h.bits(5)+1, h.bits(4)+4
	if literals > 286 || distances > 30 {
		return false
	}
	var own [19]uint8
	for _, s := range lengthOrder[:n] {
		own[s] = uint8(h.bits(3))
	}
	c := &h.literal // for the time being
	if !c.set(own[:]) {
		return false
	}
	for i := 0; i < literals+distances; {
		var l uint8
		times := 1
		switch s := h.symbol(c); {
		case s < 0:
			return false
		case s < 16:
			l = uint8(s)
		case s == 16:
			if i == 0 {
				return false
			}
			l, times = h.lengths[i-1], 3+h.bits(2)
		case s == 17:
			times = 3 + h.bits(3)
		default:
			times = 11 + h.bits(7)
		}
		if times > literals+distances-i {
			return false
		}
		for range times {
			h.lengths[i] = l
			i++
		}
	}
	return h.codes(literals, distances)
}

// Lengths and distances: the least of each symbol, and how many bits follow.
var (
	lengthLeast   = [29]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits    = [29]uint{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceLeast = [30]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distanceBits  = [30]uint{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// block reads until both numbers are there, or to the end of the block.
func (h *head) block() bool {
	for {
		s := h.symbol(&h.literal)
		switch {
		case s < 0 || h.short:
			return false
		case s < 256:
			if h.n == len(h.out) {
				return false
			}
			h.out[h.n] = byte(s)
			h.n++
		case s == 256:
			return true
		case !h.copy(s - 257):
			return false
		}
		if _, ok := h.second(); ok {
			return true
		}
	}
}

// copy repeats what stands a distance before.
func (h *head) copy(s int) bool {
	if s >= len(lengthLeast) {
		return false
	}
	n := lengthLeast[s] + h.bits(lengthBits[s])
	if !h.hasOffset {
		if h.hasOffset = h.offset.set(h.lengths[h.literals:][:h.distances]); !h.hasOffset {
			return false
		}
	}
	s = h.symbol(&h.offset)
	if s < 0 || s >= len(distanceLeast) {
		return false
	}
	back := distanceLeast[s] + h.bits(distanceBits[s])
	if h.short || back > h.n {
		return false
	}
	for range min(n, len(h.out)-h.n) {
		h.out[h.n] = h.out[h.n-back]
		h.n++
	}
	return true
}

// second returns the second of two numbers, if both have ended.
func (h *head) second() (int64, bool) {
	at := 0
	for h.out[at]&0x80 != 0 && at < h.n {
		if at++; at == len(h.out) {
			return 0, false
		}
	}
	if at >= h.n {
		return 0, false
	}
	var size int64
	for i, shift := at+1, 0; i < h.n && shift < 63; i, shift = i+1, shift+7 {
		if size |= int64(h.out[i]&0x7f) << shift; h.out[i] < 0x80 {
			return size, true
		}
	}
	return 0, false
}
