package charset

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A candidate is an East Asian encoding that a file could be in.
type candidate struct {
	name string // empty: never taken, only stands against the others
	encoding.Encoding

	// block tells where a character lies, given its first two bytes.
	block func(lead, trail byte) block
	// frequent lists the characters that texts mostly consist of.
	frequent string
}

// A block is a part of a code table.
type block int

const (
	rare    block = iota
	rare3         // rare characters of three bytes
	rare4         // rare characters of four bytes
	common        // characters of ordinary prose
	neutral       // punctuation, full-width forms, box drawing: no evidence
	single        // half-width katakana, one byte each
)

// size is the length of the block's characters in bytes.
func (b block) size() int {
	switch b {
	case single:
		return 1
	case rare3:
		return 3
	case rare4:
		return 4
	}
	return 2
}

func candidates() []candidate {
	return []candidate{
		{"GB18030", simplifiedchinese.GB18030, blockGB, simplified},
		{"Big5", big5{traditionalchinese.Big5}, blockBig5, traditional},
		{"Shift_JIS", japanese.ShiftJIS, blockShiftJIS, kana + kanji},
		{"EUC-KR", korean.EUCKR, blockEUCKR, hangul},
		{"", japanese.EUCJP, blockEUCJP, kana + kanji},
	}
}

func blockGB(lead, trail byte) block {
	switch {
	case trail < 0x40:
		return rare4
	case trail < 0xA1:
		return rare // not in GB 2312
	case lead >= 0xB0 && lead <= 0xD7:
		return common // level 1
	case lead >= 0xA1 && lead <= 0xA3 || lead == 0xA9:
		return neutral
	}
	return rare
}

func blockBig5(lead, trail byte) block {
	switch {
	case lead >= 0xA4 && lead < 0xC6, lead == 0xC6 && trail <= 0x7E:
		return common // level 1
	case lead >= 0xA1 && lead <= 0xA3:
		return neutral
	}
	return rare
}

func blockShiftJIS(lead, trail byte) block {
	switch code := int(lead)<<8 | int(trail); {
	case lead >= 0xA1 && lead <= 0xDF:
		return single
	case code >= 0x829F && code <= 0x82F1, code >= 0x8340 && code <= 0x8396:
		return common // kana
	case code >= 0x889F && code <= 0x9872:
		return common // JIS level 1
	case code >= 0x8152 && code <= 0x815B:
		return common // iteration and length marks
	case lead == 0x81, code >= 0x8240 && code <= 0x829A, code >= 0x849F && code <= 0x84BE:
		return neutral
	}
	return rare
}

func blockEUCKR(lead, trail byte) block {
	switch {
	case trail < 0xA1:
		return rare // not in KS X 1001
	case lead >= 0xB0 && lead <= 0xC8:
		return common // Hangul syllables
	case lead >= 0xA1 && lead <= 0xA3, lead == 0xA6:
		return neutral
	}
	return rare
}

func blockEUCJP(lead, trail byte) block {
	switch {
	case lead == 0x8F:
		return rare3 // JIS X 0212
	case lead == 0xA4, lead == 0xA5:
		return common // kana
	case lead == 0xA1 && trail >= 0xB3 && trail <= 0xBC:
		return common // iteration and length marks
	case lead >= 0xB0 && lead <= 0xCF:
		return common // JIS level 1
	case lead >= 0xA1 && lead <= 0xA3, lead == 0xA8:
		return neutral
	}
	return rare
}
