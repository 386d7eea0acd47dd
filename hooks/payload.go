package hooks

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// PayloadLimit is the size in bytes from which on the input of a hook is
// refused: who reads one need not read more than PayloadLimit+1.
const PayloadLimit = 64 << 20

var errPayload = errors.New("the hook's input is no JSON object")

// A payload is an object of an agent's JSON. Agents, and versions of one agent,
// spell keys in different ways (tool_name, toolName, tool-name), so keys are told
// apart by their letters and digits alone; a key may then have several values.
type payload map[string][]any

func newPayload(o map[string]any) payload {
	p := payload{}
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if o[k] != nil {
			p[foldKey(k)] = append(p[foldKey(k)], o[k])
		}
	}
	return p
}

// set gives a key one value, nil: leaves it as it is.
func (p payload) set(key string, value any) {
	if value != nil && value != "" {
		p[key] = []any{value}
	}
}

func foldKey(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

// all are the values of keys, in the order of the keys.
func (p payload) all(keys ...string) (values []any) {
	for _, k := range keys {
		values = append(values, p[k]...)
	}
	return values
}

// first is the first of them, nil if there is none.
func (p payload) first(keys ...string) any {
	if v := p.all(keys...); len(v) > 0 {
		return v[0]
	}
	return nil
}

// str is the first of them that is a text with something in it.
func (p payload) str(keys ...string) string {
	for _, v := range p.all(keys...) {
		if s, ok := v.(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// list is the first of them as a list, each element that is an object as one.
func (p payload) list(keys ...string) []any {
	for _, v := range p.all(keys...) {
		if l, ok := v.([]any); ok {
			return l
		}
	}
	return nil
}

func asObject(v any) (payload, bool) {
	if s, ok := v.(string); ok && strings.HasPrefix(strings.TrimSpace(s), "{") {
		v = nil
		_ = json.Unmarshal([]byte(s), &v) // what is no JSON is no object
	}
	o, ok := v.(map[string]any)
	return newPayload(o), ok
}

// readPayload reads a JSON object in UTF-8 or in UTF-16, with a byte order mark or
// without.
// What some agents are known to get wrong is repaired once: raw control
// characters in strings, backslashes before what needs none, and text behind the
// object. The text is returned with the error, too.
func readPayload(data []byte) (p payload, text []byte, err error) {
	text = toUTF8(data)
	if len(data) > PayloadLimit {
		return nil, text[:PayloadLimit], errors.New("the hook's input is larger than 64 MiB")
	}
	var o map[string]any
	if json.Unmarshal(text, &o) != nil {
		o = nil
		if json.Unmarshal(repair(text), &o) != nil {
			return nil, text, errPayload
		}
	}
	if o == nil {
		return nil, text, errPayload
	}
	return newPayload(o), text, nil
}

func toUTF8(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		return data[3:]
	case bytes.HasPrefix(data, []byte("\xFF\xFE")):
		order, data = binary.LittleEndian, data[2:]
	case bytes.HasPrefix(data, []byte("\xFE\xFF")):
		order, data = binary.BigEndian, data[2:]
	case bytes.HasPrefix(data, []byte("{\x00")): // an object in UTF-8 has no such byte
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\x00{")):
		order = binary.BigEndian
	default:
		return data
	}
	units := make([]uint16, 0, len(data)/2)
	for ; len(data) > 1; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	return []byte(string(utf16.Decode(units)))
}

// repair makes JSON of what is nearly so.
func repair(text []byte) []byte {
	const hex = "0123456789abcdef"
	out := make([]byte, 0, len(text)+16)
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			if i+1 < len(text) && bytes.IndexByte([]byte(`"\/bfnrt`), text[i+1]) >= 0 {
				i++
				out = append(out, c, text[i])
			} else if i+5 < len(text) && text[i+1] == 'u' && allHex(text[i+2:i+6]) {
				out = append(out, text[i:i+6]...)
				i += 5
			}
			continue
		case inString && c < 0x20:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			continue
		case c == '"':
			inString = !inString
		case !inString && (c == '{' || c == '['):
			depth++
		case !inString && (c == '}' || c == ']'):
			if depth--; depth <= 0 {
				return append(out, c)
			}
		}
		out = append(out, c)
	}
	return out
}

func allHex(digits []byte) bool {
	for _, c := range digits {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}

// odd reports whether decoding replaced bytes that are not UTF-8, or halves of
// surrogate pairs: a name with U+FFFD in it is then not the one that was meant.
func odd(text []byte) bool {
	return !utf8.Valid(text) || bytes.Contains(bytes.ToLower(text), []byte(`\ud`))
}
