package patchapply

import "encoding/json"

// A fault is why a JSON-RPC message is no call that could be read: it is
// answered by JSON-RPC's own error.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// JSON-RPC's codes.
const (
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
)

// readRPC reads a message of the Model Context Protocol.
func readRPC(r *reader, o *object) {
	call := Call{Form: MCP}
	switch id := o.first("id").(type) {
	case string:
		call.ID, call.id = id, id
	case number:
		call.ID, call.id = string(id), json.RawMessage(id)
	}
	method := o.str("method")
	params, isObject := o.first("params").(*object)
	switch {
	case o.has("result", "error") && method == "":
		r.answer(call.ID, "")
		return
	case method == "":
		call.fault = &fault{invalidRequest, "the message has no method"}
	case call.ID == "" && method != "tools/call":
		return // a notification
	case call.ID == "":
		call.fault = &fault{invalidRequest, "the call has no id"}
	case method != "tools/call":
		call.Name = method
		call.fault = &fault{unknownMethod, "the method " + quote(method) + " is not known here: tools/call is"}
	case !isObject || params.str("name") == "":
		call.fault = &fault{invalidParams, "tools/call needs params with a name and arguments"}
	default:
		call.Name = params.str("name")
		r.receive(found{Call: call, args: params.first("arguments"), line: o.line})
		return
	}
	r.receive(found{Call: call, line: o.line})
}
