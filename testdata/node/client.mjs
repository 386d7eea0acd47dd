// What the programs here share: they run chordgit in the repository that is
// the working directory.

import { spawn } from 'node:child_process';

// chordgit runs a command, if given with a text on its standard input.
export function chordgit(args, input) {
  return new Promise((resolve, reject) => {
    const child = spawn('chordgit', args, { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
    const out = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => (out[name] += text));
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...out }));
    child.stdin?.on('error', reject).end(input);
  });
}

// turns are the recorded turns, the oldest first: what made each, and its paths.
export async function turns() {
  const { stdout } = await chordgit(['log', '--json']);
  const list = JSON.parse(stdout).turns.map(({ turn, kind, session, paths }) => ({ turn, kind, session, paths }));
  return list.sort((a, b) => a.turn - b.turn);
}
