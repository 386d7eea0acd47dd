package charset

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// big5 corrects an encoding of golang.org/x/text that, of two places in the
// table, takes the last one: the Hong Kong supplement repeats characters of
// Big5 proper, as common as U+5305 and U+6E2F, and readers of plain Big5 do not
// know it. The choice is that of the Encoding Standard, but for U+4EDD.
type big5 struct{ encoding.Encoding }

func (b big5) NewEncoder() *encoding.Encoder {
	return &encoding.Encoder{Transformer: big5Encoder{b.Encoding.NewEncoder().Transformer}}
}

type big5Encoder struct{ transform.Transformer }

func (e big5Encoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = e.Transformer.Transform(dst, src, atEOF)
	for i := 0; i < nDst; i++ {
		if dst[i] < 0x80 {
			continue
		}
		if dst[i] >= 0xC6 {
			if code := proper(uint16(dst[i])<<8 | uint16(dst[i+1])); code != 0 {
				dst[i], dst[i+1] = byte(code>>8), byte(code)
			}
		}
		i++
	}
	return nDst, nSrc, err
}

// proper returns the other place of a character that has two, or 0.
func proper(code uint16) uint16 {
	switch code {
	case 0xC6DE:
		return 0xA1B2 // 〃
	case 0xFEAA:
		return 0xA260 // 瓩
	case 0xF9FA:
		return 0xA27E // ╭
	case 0xF9FB:
		return 0xA2A1 // ╮
	case 0xF9FC:
		return 0xA2A2 // ╰
	case 0xF9FD:
		return 0xA2A3 // ╯
	case 0xFAC5:
		return 0xA2CD // 卄
	case 0xFABD:
		return 0xA55D // 包
	case 0xFCF1:
		return 0xA7FB // 杞
	case 0xFA5F:
		return 0xADC5 // 倩
	case 0xFAD5:
		return 0xADEB // 卿
	case 0xFA66:
		return 0xB0B0 // 偽
	case 0xFBB8:
		return 0xB440 // 婷
	case 0xFCE2:
		return 0xB4B8 // 晴
	case 0xFDBB:
		return 0xB4E4 // 港
	case 0xFDB8:
		return 0xB4FC // 渝
	case 0xFDF1:
		return 0xB54E // 煮
	case 0xFE6F:
		return 0xB7EC // 瑜
	case 0xFCB9:
		return 0xBCB5 // 撐
	case 0xFBFD:
		return 0xC6CF // 廴
	case 0xFCD3:
		return 0xC6D3 // 无
	case 0xFEC1:
		return 0xC6D5 // 癶
	case 0xFBF3:
		return 0xC9DB // 幵
	case 0xFDB7:
		return 0xCB58 // 沜
	case 0xFEDD:
		return 0xCFF1 // 砉
	case 0xFC4F:
		return 0xD8F4 // 彘
	}
	return 0
}
