package patchapply

// Grammar is the language of patches in Lark's syntax, for custom tools. It only
// shapes what a model generates: [Parse] checks everything again, and reads more.
const Grammar = `start: "*** Begin Patch" NL section+ "*** End Patch" NL?
section: added | deleted | updated
added: "*** Add File: " TEXT NL ("+" TEXT? NL)+
deleted: "*** Delete File: " TEXT NL
updated: "*** Update File: " TEXT NL moved? hunks?
moved: "*** Move to: " TEXT NL
hunks: (anchor | line)+ tail?
anchor: "@@" NL | "@@ " TEXT NL
line: ("+" | "-" | " ") TEXT? NL
tail: "*** End of File" NL
TEXT: /[^\n]+/
NL: "\n"
`
