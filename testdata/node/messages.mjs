// A loop as one writes it against the Messages API: the assistant's message
// goes to chordgit as it came, the answer goes back as the next message.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { chordgit, turns } from './client.mjs';

const text = (path) => readFileSync(path, 'utf8');
const conversation = [{ role: 'user', content: 'Please edit.' }];

// reply plays the model's message and feeds it to chordgit. It returns the
// results by the ids of the blocks that they answer.
async function reply(content, stopReason = 'tool_use') {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content, stop_reason: stopReason };
  const { code, stdout } = await chordgit(['apply', '--session', 'messages'], JSON.stringify(message));
  const answer = JSON.parse(stdout);
  conversation.push({ role: 'assistant', content }, answer);

  // One result for each block, in their order.
  const ids = content.filter((block) => block.type === 'tool_use').map((block) => block.id);
  assert.equal(answer.role, 'user');
  assert.deepEqual(answer.content.map((block) => block.tool_use_id), ids);
  for (const block of answer.content) {
    assert.equal(block.type, 'tool_result');
    assert.ok(block.content.length > 0);
  }
  const failed = answer.content.filter((block) => block.is_error).map((block) => block.tool_use_id);
  assert.equal(code, failed.length > 0 ? 3 : 0);
  return { failed, results: Object.fromEntries(answer.content.map((block) => [block.tool_use_id, block.content])) };
}

const use = (id, name, input) => ({ type: 'tool_use', id, name, input });

// All four tools in one message, one call of which finds nothing.
const first = await reply([
  { type: 'text', text: 'I edit four files.' },
  use('toolu_1', 'Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'TWO' }),
  use('toolu_2', 'Write', { file_path: 'docs/new.txt', content: 'new\n' }),
  use('toolu_3', 'Edit', { file_path: 'b.txt', old_string: 'nowhere', new_string: 'x' }),
  use('toolu_4', 'MultiEdit', {
    file_path: 'c.txt',
    edits: [
      { old_string: 'alpha', new_string: 'ALPHA' },
      { old_string: 'beta', new_string: 'BETA', replace_all: true },
    ],
  }),
  use('toolu_5', 'str_replace_based_edit_tool', { command: 'insert', path: 'd.txt', insert_line: 1, insert_text: 'between' }),
]);
assert.deepEqual(first.failed, ['toolu_3']);
assert.match(first.results.toolu_1, /^Replaced 1 occurrence in a\.txt at line 2$/);
assert.match(first.results.toolu_2, /^Created docs\/new\.txt$/);
assert.match(first.results.toolu_3, /b\.txt: .*\[no-match\]/s);
assert.match(first.results.toolu_4, /^Applied 2 edits in c\.txt \(3 replacements\)$/);
assert.match(first.results.toolu_5, /^Inserted text in d\.txt behind line 1$/);
assert.equal(text('a.txt'), 'one\nTWO\n');
assert.equal(text('b.txt'), 'same\n');
assert.equal(text('c.txt'), 'ALPHA\nBETA\nBETA\n');
assert.equal(text('d.txt'), 'first\nbetween\nlast\n');
assert.equal(text('docs/new.txt'), 'new\n');

// The model looks, mends what failed, and looks again.
const second = await reply([
  use('toolu_6', 'str_replace_based_edit_tool', { command: 'view', path: 'b.txt' }),
  use('toolu_7', 'str_replace_based_edit_tool', { command: 'str_replace', path: 'b.txt', old_str: 'same', new_str: 'other' }),
]);
assert.deepEqual(second.failed, []);
assert.match(second.results.toolu_6, /1\tsame/);
assert.match(second.results.toolu_7, /^Replaced 1 occurrence in b\.txt at line 1$/);
assert.equal(text('b.txt'), 'other\n');

// A message that was cut off changes nothing, and every block hears of it.
const third = await reply([use('toolu_8', 'Write', { file_path: 'a.txt', content: 'half\n' })], 'max_tokens');
assert.deepEqual(third.failed, ['toolu_8']);
assert.match(third.results.toolu_8, /\[truncated\]/);
assert.equal(text('a.txt'), 'one\nTWO\n');

// The whole transcript, sent once more, is answered already.
const again = await chordgit(['apply', '--json'], conversation.slice(1).map((message) => JSON.stringify(message)).join('\n'));
assert.equal(again.code, 3);
assert.deepEqual(JSON.parse(again.stdout).failures.map((failure) => failure.code), ['already-answered']);

// A message is one turn; both are taken back.
assert.deepEqual(await turns(), [
  { turn: 1, kind: 'apply', session: 'messages', paths: ['a.txt', 'c.txt', 'd.txt', 'docs/new.txt'] },
  { turn: 2, kind: 'apply', session: 'messages', paths: ['b.txt'] },
]);
for (const turn of ['2', '1']) {
  const { code, stdout, stderr } = await chordgit(['rewind', turn]);
  assert.equal(code, 0, stdout + stderr);
}
assert.equal(text('a.txt'), 'one\ntwo\n');
assert.equal(text('b.txt'), 'same\n');
assert.equal(text('c.txt'), 'alpha\nbeta\nbeta\n');
assert.equal(text('d.txt'), 'first\nlast\n');
assert.ok(!existsSync('docs'));
