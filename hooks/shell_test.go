package hooks

import (
	"strings"
	"testing"
	"time"
)

// seen writes what was seen of a script: an operation each, patches with a star,
// then an exclamation mark for each bypass.
func seen(s *ShellScript) string {
	var out []string
	for star, ops := range map[string][]Operation{"": s.Ops, "*": s.Patches} {
		for _, op := range ops {
			kind := op.Kind
			if kind == Put {
				kind = "put"
			}
			text := star + string(kind) + " " + op.Path
			if op.To != "" {
				text += " " + op.To
			}
			out = append(out, text)
		}
	}
	for range s.Bypass {
		out = append(out, "!")
	}
	return strings.Join(out, ", ")
}

var shellTests = []struct{ script, want string }{
	// Targets by word.
	{`echo x > secret/k`, "put secret/k"},
	{`echo x >secret/k 2>&1 >>log`, "put secret/k, put log"},
	{`f=secret/k; echo x > $f`, ""},
	{`echo x > "secret/k"; cat <in >| 'a b'; echo &> all`, "put secret/k, put a b, put all"},
	{`echo 2>err x2>two`, "put err, put two"},
	{`echo > /dev/null; x >&2; x >&-`, ""},
	{`go test ./...`, ""},
	{`cd secret && echo x > k`, "put secret/k"},
	{`(cd secret; echo > k); echo > a`, "put secret/k, put a"},
	{`(cd x)(cd y; >k)>z`, "put y/k, put z"},
	{`cd $DIR && echo > k; echo > /abs`, "put /abs"},
	{`cd - ; >k`, ""},
	{`cd; >k`, ""},
	{`if true; then rm secret/k; fi; for f in a b; do touch z; done`, "delete secret/k, put z"},
	{`{ rm k; }; ! rm j`, "delete k, delete j"},
	{`echo a\ b > c\ d`, "put c d"},
	{`cat a | tee -a b c`, "put b, put c"},
	{`sed -i 's/a/b/' x y; sed s/a/b/ z; sed -i.bak -e s/a/b/ v; sed -n -i '' p w`, "put x, put y, put v, put w"},
	{`sed --in-place s/a/b/ x`, "put x"},
	{`perl -pi -e 's/a/b/' x; perl -i.orig -pe 1 y; perl -e 1 z`, "put x, put y"},
	{`cp a b; cp a b/; cp -t d a; cp a b d`, "put b, put b/a, put d/a, put d/b"},
	{`cp *.key secret/`, "put secret/?"},
	{`mv a secret/k; git mv a b`, "move a secret/k, move a b"},
	{`mv a dir; cp x/y dir`, "move a dir/a, put dir/y"}, // dir is one
	{`mv a $X`, "delete a"},
	{`ln -s t l; install -m 644 a b; install -d c; rsync -a a b; rsync a host:b`, "put l, put b"},
	{`rm -rf a b; rmdir c; unlink d; git rm --cached e`, "delete a, delete b, delete c, delete d, delete e"},
	{`touch -r ref a; truncate -s 0 b; chmod +x c; dd if=a of=d`, "put a, put b, put c, put d"},
	{`git checkout -- x; git checkout x; git restore y; git restore --staged z; git -C sub restore q`, "put x, put y, put sub/q"},
	{`patch -p1 f <p; patch -o out f`, "put f, put out"},
	{`rm ~/x; rm "~/y"`, "delete ~/x, delete ./~/y"},
	{`rm a* b? [c] {d,e} f{}`, "delete f{}"},
	{`x=$(rm k) y="` + "`rm l`" + `"; echo ${x}>m`, "delete k, delete l, put m"},
	{`sudo -u me env -i A=1 nohup rm k`, "delete k"},
	{`env -C sub rm k; time -p rm j`, "delete sub/k, delete j"},
	{`bash -lc 'cd a; rm k'; rm j; sh -c "rm \"$x\""`, "delete a/k, delete j"},
	{`sh -c 'sh -c "sh -c \"sh -c \\\"rm k\\\"\""'`, ""}, // deeper than is looked
	{`eval rm k`, "delete k"},
	{"bash <<'E'\nrm k\nE\nrm j", "delete k, delete j"},
	{"cat <<E > a\nrm k\nE\n", "put a"},
	{"cat <<-E\n\trm k\n\tE\nrm j", "delete j"},
	{"# rm k\nrm j # rm l", "delete j"},
	{"rm k \\\n j", "delete k, delete j"},
	{"diff <(rm k) b > c", "put c"},
	{`/bin/rm k; FOO=bar \rm j`, "delete k, delete j"},

	// Hooks gone around, and what is kept here.
	{`git commit -anm "x"`, "!"},
	{`git commit -n; git commit --no-verify; git commit --no-verif`, "!"},
	{`git commit -m n; git commit -m -n; git commit -mn; git commit -uno -m x; git commit -- -n; git commit --message -n`, ""},
	{`git commit -S -m x; git commit --fixup n; git commit -am "fix -n"`, ""},
	{`git push -n; git merge -n x; git push`, ""},
	{`git push --no-verify`, "!"},
	{`git merge --no-verify x`, "!"},
	{`git -c core.hooksPath=/dev/null commit`, "!"},
	{`git --config-env=Core.HooksPath=X commit`, "!"},
	{`GIT_CONFIG_KEY_0=core.hooksPath git commit`, "!"},
	{`export GIT_CONFIG_PARAMETERS="'core.hookspath'='x'"`, "!"},
	{`git config core.hooksPath x`, "!"},
	{`git config --unset core.HOOKSPATH`, "!"},
	{`git config set core.hooksPath x`, "!"},
	{`git config --global hook.chordgit-pre-commit.command true; git config hook.pre-commit.enabled false`, "!, !"},
	{`git config core.hooksPath; git config --get core.hooksPath; git config get core.hooksPath; git config user.name x; git config -l`, ""},
	{`git config --remove-section core`, "!"},
	{`HUSKY=0 git commit -m x`, "!"},
	{`env LEFTHOOK=false git commit`, "!"},
	{`export SKIP=eslint,chordgit`, "!"},
	{`CHORDGIT=0 git push`, "!"},
	{`SKIP=eslint HUSKY=1 git commit`, ""},
	{`chordgit hooks uninstall; chordgit -C x hooks uninstall`, "!"},
	{`chordgit hooks status; chordgit apply`, ""},
	{`git update-ref -d refs/chordgit/turns/1`, "!"},
	{`echo delete refs/chordgit/turns/1 | git update-ref --stdin`, "!"},
	{`git update-ref -d refs/heads/x; git fetch origin`, ""},
	{`git push --mirror; git push origin :refs/chordgit/turns/1; git fetch x refs/chordgit/*:y`, "!, !, !"},

	// Patches.
	{"cd secret && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: k\n+x\n*** End Patch\nEOF", "*put secret/k"},
	{"apply_patch '*** Begin Patch\n*** Delete File: a\n*** Update File: b\n*** Move to: c\n@@\n-x\n+y\n*** End Patch'", "*delete a, *move b c"},
	{"applypatch <<X\n*** Update File: b\n$y\nX", "*put b"},
	{"cd $X; apply_patch <<X\n*** Add File: b\n+y\nX", ""},
}

func TestShell(t *testing.T) {
	for _, test := range shellTests {
		got := seen(ReadShell(test.script, ShellOptions{IsDir: func(name string) bool { return name == "dir" }}))
		if got != test.want {
			t.Errorf("%s\n  has %s\n want %s", test.script, got, test.want)
		}
	}
}

func TestPowerShell(t *testing.T) {
	for script, want := range map[string]string{
		`Set-Content -Path secret\k -Value x`:             `put secret\k`,
		`"x" > a; 'y' | Out-File b`:                       "put a, put b",
		`add-content c x; Remove-Item -Recurse d`:         "put c, delete d",
		`Move-Item a b; Copy-Item -Path c -Destination d`: "move a b, put d",
		"Set-Content a`b x; Set-Content $f y":             "put ab",
		`Get-Content a`:                                   "",
	} {
		if got := seen(ReadShell(script, ShellOptions{PowerShell: true})); got != want {
			t.Errorf("%s\n  has %s\n want %s", script, got, want)
		}
	}
}

// TestShellLinear reads texts that could make a reader look at everything again
// and again.
func TestShellLinear(t *testing.T) {
	for _, part := range []string{"{ ", "${", "$(a) ", "$(", "`", "'", "\"", "((", ">a;", "<<E\n", "sh -c '", "git update-ref -d x;", "a=1 ", "\\"} {
		start := time.Now()
		ReadShell(strings.Repeat(part, (1<<18)/len(part)), ShellOptions{})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q took %v", part, took)
		}
	}
}

func FuzzShell(f *testing.F) {
	for _, test := range shellTests {
		f.Add(test.script, false)
	}
	f.Add("Set-Content `a -Path b", true)
	f.Fuzz(func(t *testing.T, script string, power bool) {
		s := ReadShell(script, ShellOptions{PowerShell: power})
		for _, op := range s.Ops {
			if op.Path == "" {
				t.Errorf("%v without a path", op)
			}
		}
		// Whatever is quoted is one word, as it is.
		if script == "" || strings.HasPrefix(script, "/dev/") || len(script) > shellMost/8 {
			return
		}
		quoted := joinWords([]any{"rm", "--", script})
		want := script
		if strings.HasPrefix(want, "~") {
			want = "./" + want
		}
		got := ReadShell(quoted, ShellOptions{})
		if len(got.Ops) != 1 || got.Ops[0].Kind != Delete || got.Ops[0].Path != want {
			t.Errorf("%s is %v", quoted, got.Ops)
		}
	})
}
