// The Agents SDK with an editor that hands each operation to chordgit. The
// model is played from a script; everything between it and the editor is the
// package's own: the runner, the tool, the items that go back.
//
// CHORDGIT_TEST_MODULES is the directory in which the package is installed.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chordgit, turns } from './client.mjs';

const require = createRequire(join(process.env.CHORDGIT_TEST_MODULES, 'index.js'));
const { Agent, Runner, Usage, applyDiff, applyPatchTool } = require('@openai/agents');

const text = (path) => readFileSync(path, 'utf8');

// pipe gives chordgit one operation, and the SDK what chordgit answers.
async function pipe(operation) {
  const { stdout, stderr } = await chordgit(['apply', '--session', 'sdk', '--answer', 'apply_patch_call_output'], JSON.stringify(operation));
  assert.equal(stderr, '');
  const { status, output } = JSON.parse(stdout);
  return { status, output };
}

const editor = {
  createFile: pipe,
  deleteFile: pipe,
  async updateFile(operation) {
    // Where the package's own function reads the diff, the file must come out
    // the same.
    let want;
    try {
      want = applyDiff(text(operation.path), operation.diff);
    } catch {
      want = undefined;
    }
    const result = await pipe(operation);
    assert.equal(result.status === 'completed', want !== undefined, result.output);
    if (want !== undefined) {
      assert.equal(text(operation.moveTo ?? operation.path), want);
    }
    return result;
  },
};

// script are the replies of the model.
const call = (callId, operation) => ({ type: 'apply_patch_call', callId, status: 'completed', operation });
const script = [
  [
    call('c1', { type: 'create_file', path: 'lib/new.py', diff: '+def area(r):\n+    return 3 * r\n' }),
    call('c2', { type: 'update_file', path: 'main.py', diff: '@@\n-import old\n+from lib import new\n' }),
    call('c3', { type: 'update_file', path: 'main.py', diff: '@@ def main():\n-    return old.area(2)\n+    return new.area(2)\n' }),
    call('c4', { type: 'update_file', path: 'main.py', diff: '@@\n-    return missing\n+    return 0\n' }),
    call('c5', { type: 'delete_file', path: 'old.py' }),
  ],
  [
    call('c6', { type: 'update_file', path: 'notes.txt', diff: '@@\n-draft\n+final\n', moveTo: 'docs/notes.txt' }),
    call('c7', { type: 'create_file', path: 'main.py', diff: '+x\n' }),
    call('c8', { type: 'delete_file', path: 'old.py' }),
  ],
  [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'done' }] }],
];

const requests = [];
const model = {
  async getResponse({ input, tools }) {
    requests.push({ input: structuredClone(input), tools });
    return { usage: new Usage(), output: script[requests.length - 1] };
  },
  getStreamedResponse() {
    throw new Error('not streamed');
  },
};

const agent = new Agent({ name: 'editor', model, tools: [applyPatchTool({ editor })] });
const result = await new Runner({ tracingDisabled: true }).run(agent, 'Please edit.');
assert.equal(result.finalOutput, 'done');
assert.equal(requests.length, script.length);
assert.deepEqual(requests[0].tools.map((tool) => tool.type), ['apply_patch']);

// Every call was answered once, in order, and the model has seen it.
const answers = requests.at(-1).input.filter((item) => item.type === 'apply_patch_call_output');
const want = {
  c1: ['completed', /^Created lib\/new\.py$/],
  c2: ['completed', /^Updated main\.py$/],
  c3: ['completed', /^Updated main\.py$/],
  c4: ['failed', /^main\.py: hunk not found.*\[no-match\]/s],
  c5: ['completed', /^Deleted old\.py$/],
  c6: ['completed', /^Moved notes\.txt -> docs\/notes\.txt$/],
  c7: ['failed', /^main\.py: cannot add file that already exists/],
  c8: ['failed', /^old\.py: file not found/],
};
assert.deepEqual(answers.map((item) => item.callId), Object.keys(want));
for (const { callId, status, output } of answers) {
  assert.equal(status, want[callId][0], `${callId}: ${output}`);
  assert.match(output, want[callId][1]);
}

// The files are as meant, and each change is a turn.
assert.equal(text('lib/new.py'), 'def area(r):\n    return 3 * r\n');
assert.equal(text('main.py'), 'from lib import new\n\ndef main():\n    return new.area(2)\n');
assert.equal(text('docs/notes.txt'), 'final\n');
assert.ok(!existsSync('old.py') && !existsSync('notes.txt'));
const recorded = await turns();
assert.deepEqual(
  recorded.map(({ turn, kind, session, paths }) => [turn, kind, session, paths]),
  [
    [1, 'apply', 'sdk', ['lib/new.py']],
    [2, 'apply', 'sdk', ['main.py']],
    [3, 'apply', 'sdk', ['main.py']],
    [4, 'apply', 'sdk', ['old.py']],
    [5, 'apply', 'sdk', ['docs/notes.txt', 'notes.txt']],
  ],
);

// One turn in the middle is taken back, the others stay.
const back = await chordgit(['rewind', '3', '--json']);
assert.equal(back.code, 0, back.stdout + back.stderr);
assert.equal(text('main.py'), 'from lib import new\n\ndef main():\n    return old.area(2)\n');
assert.equal(text('docs/notes.txt'), 'final\n');

// All that is left is taken back.
for (const turn of ['5', '4', '2', '1']) {
  const { code, stdout, stderr } = await chordgit(['rewind', turn]);
  assert.equal(code, 0, stdout + stderr);
}
assert.equal(text('main.py'), 'import old\n\ndef main():\n    return old.area(2)\n');
assert.equal(text('notes.txt'), 'draft\n');
assert.ok(existsSync('old.py') && !existsSync('lib') && !existsSync('docs'));
