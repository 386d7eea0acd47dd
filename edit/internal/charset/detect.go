package charset

// What a candidate has to reach to be taken.
const (
	minCommon = 4    // characters in its common blocks
	minScore  = 0.85 // their share
	minLead   = 0.25 // distance to the next candidate's score
)

// detect returns the East Asian encoding that data is in and the text, or nil
// if no candidate is convincing.
//
// The encodings use the same bytes, and the common blocks overlap: every Hangul
// syllable of KS X 1001 is a character of GB 2312 level 1, too. What tells them
// apart is which characters a text is made of, so a reading that nobody would
// write is no candidate.
func detect(data []byte) (*Encoding, []byte) {
	var best candidate
	var bestScore, next float64
	for _, c := range candidates() {
		if _, _, ok := (multibyte{c.Encoding}).measure(data); !ok {
			continue
		}
		t := c.count(data)
		switch score := t.score(); {
		case !t.plausible():
		case c.name != "" && t.convincing() && score > bestScore:
			best, bestScore, next = c, score, max(next, bestScore)
		default:
			next = max(next, score)
		}
	}
	if bestScore < minScore || bestScore-next < minLead {
		return nil, nil
	}
	codec := multibyte{best.Encoding}
	text, _, ok := codec.decode(data)
	if !ok {
		return nil, nil
	}
	return &Encoding{name: best.name, codec: codec}, text
}

// A tally counts the characters of a text outside ASCII, neutral ones left out.
type tally struct {
	common, rare, single int
	frequent             int // those that stand next to another character outside ASCII
}

// score is the share of the multi-byte characters that lie in common blocks.
func (t tally) score() float64 {
	return float64(t.common) / float64(max(1, t.common+t.rare))
}

// plausible reports whether somebody could have written this: prose has three
// frequent characters in four and more, bytes that mean something else have
// about one in ten.
func (t tally) plausible() bool {
	return 10*t.frequent >= 4*(t.common+t.rare+t.single)
}

// convincing reports whether a plausible text is no coincidence. Few characters
// reach a share by chance, so they need a higher one.
func (t tally) convincing() bool {
	return t.common >= minCommon && 10*(t.frequent-2) >= 4*(t.common+t.rare+t.single)
}

// count walks over data, which has been verified to decode.
func (c candidate) count(data []byte) tally {
	frequent := c.codes()
	var t tally
	run, found := 0, 0 // characters outside ASCII in a row, frequent ones among them
	for i := 0; i < len(data); {
		if data[i] < 0x80 {
			i++
			// Letters with accents stand alone between others, East Asian
			// characters do not.
			if run > 1 {
				t.frequent += found
			}
			run, found = 0, 0
			continue
		}
		run++
		lead, trail := data[i], byte(0)
		if i+1 < len(data) {
			trail = data[i+1]
		}
		if frequent.has(lead, trail) {
			found++
		}
		b := c.block(lead, trail)
		switch b {
		case common:
			t.common++
		case rare, rare3, rare4:
			t.rare++
		case single:
			t.single++
		}
		i += b.size()
	}
	if run > 1 {
		t.frequent += found
	}
	return t
}

// codes is the set of the frequent characters as they are stored.
func (c candidate) codes() *codes {
	set := new(codes)
	encoder := c.NewEncoder().Transformer
	var stored [4]byte
	for _, r := range c.frequent {
		if n, _, err := encoder.Transform(stored[:], []byte(string(r)), true); err == nil && n == 2 {
			set.add(stored[0], stored[1])
		}
	}
	return set
}

// codes is a set of two-byte characters.
type codes [256][4]uint64

func (s *codes) add(lead, trail byte)      { s[lead][trail/64] |= 1 << (trail % 64) }
func (s *codes) has(lead, trail byte) bool { return s[lead][trail/64]>>(trail%64)&1 != 0 }
