import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { servingIn, takeServeLock } from '../../infra/local/serve-lock.ts';
import { PermanentError } from '../../shared/errors.ts';

const MODULE = new URL('../../infra/local/serve-lock.ts', import.meta.url).href;

let folder: string;
let children: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ces-evals-'));
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Another process, which runs the code with `takeServeLock`, `servingIn` and `folder` and then lives on. */
async function otherProcess(code: string): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const script = `
    import { takeServeLock, servingIn } from ${JSON.stringify(MODULE)};
    const folder = ${JSON.stringify(folder)};
    ${code}
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [said] = await once(child.stdout, 'data');
  return { child, said: String(said).trim() };
}

const serveElsewhere = () =>
  otherProcess(`
    const lock = takeServeLock(folder);
    lock.announce({ pid: process.pid, url: 'http://127.0.0.1:8080' });
    console.log('serving');`);

describe('the lock of a data directory', () => {
  test('is there for one at a time, and then for the next', () => {
    const first = takeServeLock(folder);
    const second = takeServeLock(folder);
    first?.release();
    const third = takeServeLock(folder);
    third?.release();

    expect([first !== undefined, second, third !== undefined]).toEqual([true, undefined, true]);
  });

  test('makes the directory', () => {
    const nested = join(folder, 'data', 'here');

    const lock = takeServeLock(nested);
    lock?.release();

    expect(lock).toBeDefined();
  });

  test('of one directory is not that of another', () => {
    const here = takeServeLock(join(folder, 'here'));
    const there = takeServeLock(join(folder, 'there'));
    here?.release();
    there?.release();

    expect([here !== undefined, there !== undefined]).toEqual([true, true]);
  });

  test('is held against another process, tells who holds it, and is free once that was killed', async () => {
    const { child } = await serveElsewhere();
    const refused = takeServeLock(folder);
    const server = servingIn(folder);

    child.kill('SIGKILL');
    await once(child, 'exit');
    const afterwards = servingIn(folder);
    const lock = takeServeLock(folder);
    const starting = servingIn(folder);
    lock?.announce({ pid: 4711, url: 'http://127.0.0.1:9090' });
    const started = servingIn(folder);
    lock?.release();

    expect(refused).toBeUndefined();
    expect(server).toEqual({ pid: child.pid, url: 'http://127.0.0.1:8080' });
    expect(afterwards).toBeUndefined();
    expect(lock).toBeDefined();
    // The killed one had told its address; it is not to be taken for that of the new one.
    expect(starting).toBeUndefined();
    expect(started).toEqual({ pid: 4711, url: 'http://127.0.0.1:9090' });
    expect(servingIn(folder)).toBeUndefined();
  });

  test.each([
    ['a directory that is a file', (at: string) => writeFileSync(at, '')],
    [
      'a lock that is no file',
      (at: string) => {
        mkdirSync(join(at, 'serve.lock'), { recursive: true });
      },
    ],
    [
      'a lock that somebody wrote over',
      (at: string) => {
        mkdirSync(at);
        writeFileSync(
          join(at, 'serve.lock'),
          'not a lock at all, and longer than the header of a database '.repeat(20),
        );
      },
    ],
  ])('is refused with what to do: %s', (_, spoil) => {
    const at = join(folder, 'data');
    spoil(at);

    const refusal = ((): unknown => {
      try {
        return takeServeLock(at);
      } catch (error) {
        return error;
      }
    })();

    expect(refusal).toBeInstanceOf(PermanentError);
    expect((refusal as Error).message).toMatch(
      /^could not lock the data directory .*\/data: .+; give this user a folder to write to, with DATA_DIR or --data-dir$/,
    );
  });
});

describe('to ask who serves', () => {
  test('makes nothing where nobody ever did', () => {
    const absent = join(folder, 'data');

    expect(servingIn(absent)).toBeUndefined();
    expect(servingIn(folder)).toBeUndefined();
    expect([existsSync(absent), readdirSync(folder)]).toEqual([false, []]);
  });

  test('a thousand times leaves no file open, whether somebody serves or not', () => {
    takeServeLock(folder)?.release();
    const openFiles = (): number => readdirSync('/dev/fd').length;
    const before = openFiles();
    for (let times = 0; times < 1_000; times += 1) servingIn(folder);
    const whenFree = openFiles();
    const lock = takeServeLock(folder);
    const locked = openFiles();
    for (let times = 0; times < 1_000; times += 1) servingIn(folder);
    for (let times = 0; times < 3; times += 1) takeServeLock(folder);
    const whenTaken = openFiles();
    lock?.release();

    expect(whenFree).toBe(before);
    // SQLite keeps one for use again, because to close it would give the lock up.
    expect(whenTaken - locked).toBeLessThanOrEqual(2);
    expect(openFiles()).toBe(before);
  });

  test('keeps no server from starting, and is no server to others who ask', async () => {
    takeServeLock(folder)?.release();
    const { said } = await otherProcess(`
      console.log('asking');
      const end = Date.now() + 10_000;
      while (Date.now() < end) if (servingIn(folder) !== undefined) process.exit(1);`);
    const refused: number[] = [];
    const mistaken: number[] = [];

    for (let times = 0; times < 200; times += 1) {
      if (servingIn(folder) !== undefined) mistaken.push(times);
      const lock = takeServeLock(folder);
      if (lock === undefined) refused.push(times);
      lock?.release();
    }

    expect(said).toBe('asking');
    expect({ refused, mistaken }).toEqual({ refused: [], mistaken: [] });
  });
});
