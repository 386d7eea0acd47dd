package charset

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

const (
	china = "// 如果配置文件不存在,程序会使用默认值,并且在第一次保存时创建它。\n" +
		"x := 1 // 用户可以通过命令行参数指定其他目录\n"
	taiwan = "// 如果設定檔不存在，程式會使用預設值，並且在第一次儲存時建立它。\n" +
		"x := 1 // 使用者可以透過命令列參數指定其他目錄，包含香港的電腦\n"
	japan = "// 設定ファイルが存在しない場合は、既定の値を使用します。\n" +
		"x := 1 // 利用者は別のディレクトリを引数で指定することができる。ﾃﾞｰﾀ1\n"
	korea = "// 설정 파일이 없으면 프로그램은 기본값을 사용하고 처음 저장할 때 만듭니다.\n" +
		"x := 1 // 사용자는 명령 인자로 다른 디렉터리를 지정할 수 있다\n"
	mixed = "a é → 漢 😀 \ufeff\r\n\x00z"
)

func stored(t testing.TB, e encoding.Encoding, text string) string {
	t.Helper()
	s, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDecode(t *testing.T) {
	big5 := big5{traditionalchinese.Big5}
	tests := []struct {
		about, data, name, text string
	}{
		{"empty", "", "UTF-8", ""},
		{"ASCII", "a\r\nb", "UTF-8", "a\r\nb"},
		{"UTF-8", "caf\u00e9 漢字 😀", "UTF-8", "caf\u00e9 漢字 😀"},
		{"NUL behind the window", strings.Repeat("a", binaryWindow) + "\x00", "UTF-8", strings.Repeat("a", binaryWindow) + "\x00"},
		{"mark only", "\xEF\xBB\xBF", "UTF-8 with BOM", ""},
		{"UTF-8 with mark", "\xEF\xBB\xBFé\x00", "UTF-8 with BOM", "é\x00"},
		{"two marks", "\xEF\xBB\xBF\xEF\xBB\xBFx", "UTF-8 with BOM", "\ufeffx"},
		{"UTF-16LE", "\xFF\xFEa\x00\r\x00\n\x00\x3D\xD8\x00\xDE", "UTF-16LE", "a\r\n😀"},
		{"UTF-16BE", "\xFE\xFF\x00a\x20\xAC\xD8\x3D\xDE\x00", "UTF-16BE", "a€😀"},
		{"UTF-16LE, two marks", "\xFF\xFE\xFF\xFEa\x00", "UTF-16LE", "\ufeffa"},
		{"UTF-32LE", "\xFF\xFE\x00\x00a\x00\x00\x00\x00\xF6\x01\x00", "UTF-32LE", "a😀"},
		{"UTF-32BE", "\x00\x00\xFE\xFF\x00\x00\x00a\x00\x01\xF6\x00", "UTF-32BE", "a😀"},
		{"GB18030", stored(t, simplifiedchinese.GB18030, china), "GB18030", china},
		{"four-byte characters", stored(t, simplifiedchinese.GB18030, china+"😀ü"), "GB18030", china + "😀ü"},
		{"Big5", stored(t, big5, taiwan), "Big5", taiwan},
		{"Shift_JIS", stored(t, japanese.ShiftJIS, japan), "Shift_JIS", japan},
		{"EUC-KR", stored(t, korean.EUCKR, korea), "EUC-KR", korea},
		{"long", strings.Repeat(stored(t, big5, taiwan), 999), "Big5", strings.Repeat(taiwan, 999)},
		{"four characters", stored(t, simplifiedchinese.GB18030, "文件名称"), "GB18030", "文件名称"},
	}
	for _, tt := range tests {
		e, text, err := Decode([]byte(tt.data))
		if err != nil {
			t.Errorf("%s: %v", tt.about, err)
			continue
		}
		if e.Name() != tt.name || string(text) != tt.text {
			t.Errorf("%s: got %s %.80q, want %s %.80q", tt.about, e.Name(), text, tt.name, tt.text)
		}
		if e.Bytes() || e.UTF8() != strings.HasPrefix(tt.name, "UTF-8") {
			t.Errorf("%s: wrong kind", tt.about)
		}
		if back, err := e.Encode(text); err != nil || string(back) != tt.data {
			t.Errorf("%s: came back as %.80q, %v", tt.about, back, err)
		}
	}
}

func TestDecodeWide(t *testing.T) {
	for _, tt := range []struct{ about, data, name, text string }{
		{"empty", "", "unknown 8-bit", ""},
		{"UTF-8 with mark", "\xEF\xBB\xBFé\n", "unknown 8-bit", "\xEF\xBB\xBFé\n"},
		{"not UTF-8 behind a mark", "\xEF\xBB\xBF\xE9\n", "unknown 8-bit", "\xEF\xBB\xBF\xE9\n"},
		{"GB18030", stored(t, simplifiedchinese.GB18030, china), "unknown 8-bit", stored(t, simplifiedchinese.GB18030, china)},
		{"UTF-16LE", "\xFF\xFEa\x00\r\x00\n\x00\x3D\xD8\x00\xDE", "UTF-16LE", "a\r\n😀"},
		{"UTF-32LE", "\xFF\xFE\x00\x00a\x00\x00\x00\x00\xF6\x01\x00", "UTF-32LE", "a😀"},
	} {
		e, text, err := DecodeWide([]byte(tt.data))
		if err != nil || e.Name() != tt.name || string(text) != tt.text {
			t.Errorf("%s: %v, %.80q, %v", tt.about, e, text, err)
			continue
		}
		if back, err := e.Encode(text); err != nil || string(back) != tt.data {
			t.Errorf("%s: came back as %.80q, %v", tt.about, back, err)
		}
	}
	for about, data := range map[string]string{"NUL": "a\x00", "half a pair": "\xFF\xFE\x3D\xD8", "odd": "\xFF\xFEa"} {
		if e, text, err := DecodeWide([]byte(data)); err == nil {
			t.Errorf("%s: taken for %s: %q", about, e.Name(), text)
		}
	}
}

// What is not certain stays bytes.
func TestDecodeTransparent(t *testing.T) {
	tests := map[string]string{
		"Latin-1":                  "caf\xE9\nok\n",
		"three characters":         stored(t, simplifiedchinese.GB18030, "文件名"),
		"single characters":        stored(t, simplifiedchinese.GB18030, "a 的 b 是 c 在 d 了 e 我 f 有"),
		"EUC-JP":                   stored(t, japanese.EUCJP, strings.ReplaceAll(japan, "ﾃﾞｰﾀ", "")),
		"GB18030, 0x80":            stored(t, simplifiedchinese.GB18030, china) + "\x80",
		"GB18030, cut":             stored(t, simplifiedchinese.GB18030, china) + "\xBA",
		"Shift_JIS, second places": stored(t, japanese.ShiftJIS, japan) + "\x87\x90",
		"Big5, second places":      stored(t, traditionalchinese.Big5, taiwan),
		"Big5, two code points":    stored(t, big5{traditionalchinese.Big5}, taiwan) + "\x88\x62",
		"UTF-8, cut":               china + "\xE6\x96",
		"UTF-8 and Latin-1":        china + "caf\xE9",
		"apostrophes":              "I don\x92t, he can\x92t, it\x92s, we\x92re, they\x92ll, she\x92d",
		"rules of IBM code pages":  strings.Repeat("\xC4", 40) + "\n" + strings.Repeat("\xCD", 40) + "\n" + strings.Repeat("\xB1", 40),
	}
	for about, data := range tests {
		e, text, err := Decode([]byte(data))
		switch {
		case err != nil:
			t.Errorf("%s: %v", about, err)
		case !e.Bytes() || e.UTF8() || e.Name() != "unknown 8-bit":
			t.Errorf("%s: taken for %s: %q", about, e.Name(), text)
		case string(text) != data:
			t.Errorf("%s: text is %q", about, text)
		}
	}
}

// The pieces of sentences in 8-bit encodings are not taken for East Asian ones.
func TestDecodeWestern(t *testing.T) {
	texts := map[string][]*charmap.Charmap{
		"L’élève naïf a reçu une réponse très sévère ; où était-il donc passé, cet été-là ? Ça n’a guère été créé à côté.":    {charmap.Windows1252, charmap.Macintosh},
		"Größere Änderungen müssen natürlich über den üblichen Weg geprüft werden, außer für „kleine“ Übersetzungen – schön.": {charmap.Windows1252},
		"El niño pidió más información sobre la configuración del país; ¿qué pasó mañana? ¡Ójala! Así será la sesión común.":  {charmap.Windows1252, charmap.ISO8859_15},
		"Если файл настроек не найден, программа создаст его при первом сохранении. ПРИВЕТ МИРУ, ЭТО НЕ КИТАЙСКИЙ ТЕКСТ":      {charmap.KOI8R, charmap.Windows1251, charmap.CodePage866, charmap.ISO8859_5},
		"Αν το αρχείο ρυθμίσεων δεν υπάρχει, το πρόγραμμα θα το δημιουργήσει κατά την πρώτη αποθήκευση":                       {charmap.ISO8859_7, charmap.Windows1253},
		"Zażółć gęślą jaźń; jeśli plik nie istnieje, zostanie utworzony później. Błąd składni w części źródła":                {charmap.Windows1250, charmap.ISO8859_2, charmap.CodePage852},
		"ถ้าไม่พบแฟ้มตั้งค่า โปรแกรมจะสร้างแฟ้มใหม่เมื่อบันทึกครั้งแรก":                                                       {charmap.Windows874},
		"אם קובץ ההגדרות אינו קיים התוכנית תיצור אותו בשמירה הראשונה":                                                         {charmap.Windows1255},
		"إذا لم يوجد ملف الإعدادات فسينشئه البرنامج عند الحفظ الأول":                                                          {charmap.Windows1256},
	}
	for text, maps := range texts {
		words := strings.Fields(text)
		for _, m := range maps {
			for from := range words {
				for to := from + 1; to <= len(words); to++ {
					data, err := m.NewEncoder().String(strings.Join(words[from:to], " "))
					if err != nil {
						t.Fatal(m, err)
					}
					e, got, err := Decode([]byte(data))
					if err != nil || !e.Bytes() && !e.UTF8() {
						t.Errorf("%v: %q taken for %v: %q, %v", m, data, e, got, err)
					}
				}
			}
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for data, want := range map[string]error{
		"a\x00":                            &BinaryError{Offset: 1},
		strings.Repeat("é", 50) + "\x00":   &BinaryError{Offset: 100},
		"a\x00\x00\x00":                    &BinaryError{Offset: 1},
		"\xEF\xBB\xBFab\xE9":               &Error{"UTF-8 with BOM", 5},
		"\xFF\xFEa":                        &Error{"UTF-16LE", 2},
		"\xFF\xFEa\x00b":                   &Error{"UTF-16LE", 4},
		"\xFF\xFE\x00\xD8":                 &Error{"UTF-16LE", 2},
		"\xFE\xFF\xDC\x00\xD8\x00":         &Error{"UTF-16BE", 2},
		"\xFE\xFF\x00a\xD8\x00\x00a":       &Error{"UTF-16BE", 4},
		"\xFF\xFE\x00\x00a\x00\x00":        &Error{"UTF-32LE", 4},
		"\xFF\xFE\x00\x00\x00\x00\x11\x00": &Error{"UTF-32LE", 4},
		"\x00\x00\xFE\xFF\xFF\xFF\xFF\xFF": &Error{"UTF-32BE", 4},
		"\x00\x00\xFE\xFF\x00\x00\xD8\x00": &Error{"UTF-32BE", 4},
	} {
		_, _, err := Decode([]byte(data))
		if err == nil || err.Error() != want.Error() {
			t.Errorf("%q: got %v, want %v", data, err, want)
		}
	}
}

func TestEncode(t *testing.T) {
	sjis, _, err := Decode([]byte(stored(t, japanese.ShiftJIS, japan)))
	if err != nil {
		t.Fatal(err)
	}
	gb, _, err := Decode([]byte(stored(t, simplifiedchinese.GB18030, china)))
	if err != nil {
		t.Fatal(err)
	}
	latin, _, _ := Decode([]byte("caf\xE9"))
	utf8, _, _ := Decode(nil)
	utf16, _, _ := Decode([]byte("\xFF\xFE"))
	for _, tt := range []struct {
		e    *Encoding
		text string
		want *UnencodableError
	}{
		{sjis, "日本 ﾃ\n", nil},
		{sjis, "日本😀", &UnencodableError{'😀', "Shift_JIS", 6}},
		{sjis, "é", &UnencodableError{'é', "Shift_JIS", 0}},
		{sjis, strings.Repeat("日", 1e5) + "é", &UnencodableError{'é', "Shift_JIS", 3e5}},
		{gb, strings.Repeat("é", 1e5), nil},
		{gb, "\ufffd", nil},
		{gb, "\xFF", &UnencodableError{-1, "GB18030", 0}},
		{gb, "好\ue000", &UnencodableError{'\ue000', "GB18030", 3}}, // would become U+F014
		{utf16, mixed, nil},
		{utf16, "a\xC3", &UnencodableError{-1, "UTF-16LE", 1}},
		{utf8, mixed, nil},
		{utf8, "a\xC3", &UnencodableError{-1, "UTF-8", 1}},
		{latin, "ok", nil},
		{latin, "naïve", &UnencodableError{'ï', "unknown 8-bit", 2}},
		{latin, "na\xEFve", &UnencodableError{-1, "unknown 8-bit", 2}},
	} {
		err := tt.e.Check(tt.text)
		var got *UnencodableError
		if errors.As(err, &got) != (tt.want != nil) || got != nil && *got != *tt.want {
			t.Errorf("%s, %.20q: got %v, want %v", tt.e.Name(), tt.text, err, tt.want)
		}
	}
	want := `"😀" (U+1F600) does not exist in encoding Shift_JIS`
	if err := sjis.Check("😀"); err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// Every character that an encoding accepts comes back as itself.
func TestEncodeEveryRune(t *testing.T) {
	for _, c := range candidates() {
		e := &Encoding{name: c.name, codec: multibyte{c.Encoding}}
		for r := rune(0); r <= utf8.MaxRune; r++ {
			if r > 0x30000 {
				r += 996 // nothing but GB18030 goes beyond
			}
			if !utf8.ValidRune(r) {
				continue
			}
			stored, err := e.Encode([]byte(string(r)))
			if err != nil {
				continue
			}
			if text, err := e.decode(stored); err != nil || string(text) != string(r) {
				t.Fatalf("%s: %U is stored as % X and read as %q", c.name, r, stored, text)
			}
		}
	}
}

// The frequent characters are some of the common ones.
func TestFrequent(t *testing.T) {
	for _, c := range candidates() {
		for _, r := range c.frequent {
			s := stored(t, c, string(r))
			if len(s) != 2 || c.block(s[0], s[1]) != common {
				t.Errorf("%s: %c", c.name, r)
			}
		}
	}
}

func TestDecodeSharesMemory(t *testing.T) {
	for _, data := range []string{"text é", "\xEF\xBB\xBFtext", "caf\xE9"} {
		data := []byte(data)
		_, text, _ := Decode(data)
		if &text[len(text)-1] != &data[len(data)-1] {
			t.Errorf("%q was copied", data)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	for name, s := range map[string]string{
		"ASCII":     "x := 1 // a plain line of code\n",
		"UTF-8":     china,
		"Latin-1":   "x := 1 // ein Caf\xE9 an der Stra\xDFe\n",
		"GB18030":   stored(b, simplifiedchinese.GB18030, china),
		"Shift_JIS": stored(b, japanese.ShiftJIS, japan),
	} {
		data := []byte(strings.Repeat(s, 8<<20/len(s)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestRareCharacters: a text of frequent characters is still not taken for
// GB18030 if too many of the others are rare.
func TestRareCharacters(t *testing.T) {
	common := strings.Repeat("我们的工作是为人民服务这个时候大家都知道了", 2)
	rare := []rune("亍丌兀丐廿卅丕亘丞鬲孬噩丨禺丿匕乇夭爻卮氐囟胤馗毓睾鼗丶亟鼐乜乩亓芈孛啬嘏仄厍厝厣厥厮靥赝匚叵匦匮匾赜卦卣刂刈刎刭刳刿剀剌剞剡剜蒯剽劂劁劐劓冂罔亻仃仉仂仨仡仫仞伛仳伢佤仵伥伧伉伫佞佧攸佚佝")
	for _, tt := range []struct {
		rare int
		want string
	}{{4, "GB18030"}, {30, "unknown 8-bit"}} {
		text := common + string(rare[:tt.rare])
		data, err := simplifiedchinese.GB18030.NewEncoder().Bytes([]byte(text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		enc, _, err := Decode(data)
		if err != nil || enc.Name() != tt.want {
			t.Errorf("%d rare of %d characters: %s, %v, want %s", tt.rare, utf8.RuneCountInString(text), enc.Name(), err, tt.want)
		}
	}
}
