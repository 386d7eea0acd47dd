package patchapply_test

import (
	"fmt"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/patchapply"
)

func Example() {
	req, err := patchapply.Parse([]byte(`*** Begin Patch
*** Update File: greet.go
@@ func greet() {
-	say("hello")
+	say("good morning")
*** End Patch
`), patchapply.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	tree := edit.MapTree{"greet.go": {Mode: 0o644, Data: []byte("func greet() {\n\tsay(\"hello\")\n}\n")}}
	plan, err := edit.NewPlan(tree, req.Ops, edit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", tree.Apply(plan)["greet.go"].Data)
	// Output:
	// func greet() {
	// 	say("good morning")
	// }
}

// A call is answered in the shape in which it came, also when it is refused.
func ExampleRequest_Answer() {
	req, err := patchapply.Parse([]byte(`{"type":"tool_use","id":"toolu_1","name":"Edit","input":{"file_path":"a","new_string":"x"}}`), patchapply.Options{})
	fmt.Println(err)
	answer, err := req.Answer([]patchapply.Result{{Text: "nothing was changed", Failed: true}}, "")
	fmt.Println(string(answer), err)
	// Output:
	// line 1: Edit: old_string is missing
	// {"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":"nothing was changed"} <nil>
}
