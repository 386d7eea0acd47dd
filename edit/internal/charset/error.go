package charset

import "fmt"

// A BinaryError says that a file is no text.
type BinaryError struct {
	Offset int // of the first NUL byte
}

func (e *BinaryError) Error() string {
	return fmt.Sprintf("binary file: NUL at byte %d", e.Offset)
}

// An Error says that a file is not in the encoding that its byte order mark
// names.
type Error struct {
	Encoding string
	Offset   int // of the first byte that is not part of a character
}

func (e *Error) Error() string {
	return fmt.Sprintf("not valid %s at byte %d", e.Encoding, e.Offset)
}

// An UnencodableError says that a file cannot hold a text.
type UnencodableError struct {
	Rune     rune // -1: the text is not UTF-8 there
	Encoding string
	Offset   int // of the character, in bytes of the text
}

func (e *UnencodableError) Error() string {
	if e.Rune < 0 {
		return fmt.Sprintf("invalid UTF-8 at byte %d of the text for a file in encoding %s", e.Offset, e.Encoding)
	}
	return fmt.Sprintf("%q (%U) does not exist in encoding %s", string(e.Rune), e.Rune, e.Encoding)
}
