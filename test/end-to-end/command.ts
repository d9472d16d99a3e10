import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Starts the command as a shell does; jest itself runs on the Node.js that the command needs. */
export function startCommand(args: readonly string[], env: Environment): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, [MAIN, ...args], { env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs the command to its end. */
export const runCommand = (args: readonly string[], env: Environment = {}): Promise<Finished> =>
  finished(startCommand(args, env));

/** What a command that was just started has said, when it ends. */
export async function finished(child: ChildProcess): Promise<Finished> {
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return { code, stdout: stdout(), stderr: stderr() };
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Answers the text that matches, as soon as the child prints it. Progress and hints are on stderr. */
export function printed(
  child: ChildProcess,
  pattern: RegExp,
  stream: 'stdout' | 'stderr' = 'stdout',
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = '';
    child[stream]?.setEncoding('utf8');
    child[stream]?.on('data', (chunk: string) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match !== null) resolve(match);
    });
    child[stream === 'stdout' ? 'stderr' : 'stdout']?.resume();
    child.once('close', (code) => {
      reject(new Error(`the command ended with ${code} before it printed ${pattern}: ${text}`));
    });
  });
}

export const killed = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('close', () => {
      resolve();
    });
    child.kill('SIGKILL');
  });
