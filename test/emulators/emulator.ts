import { spawn } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';

export interface Emulator {
  /** host:port, as the variable has it. */
  readonly host: string;
  /** What the tests print: which backend they ran on. */
  readonly name: string;
  close(): Promise<void>;
}

/** The emulator starts in two seconds; a busy machine takes longer. */
const START_TIMEOUT_MS = 30_000;

export interface EmulatorKind {
  /** Names one that is running. */
  readonly variable: string;
  /** Where gcloud keeps the jar, below its root. */
  readonly jar: string;
  readonly args: (jar: string, port: number) => readonly string[];
}

/**
 * Google's own emulator: the one that the variable names, or one that is started from where gcloud has installed it.
 * Undefined where there is none. It is started without gcloud, which would leave it behind.
 */
export async function startEmulator(kind: EmulatorKind): Promise<Emulator | undefined> {
  const running = process.env[kind.variable];
  if (running !== undefined && running !== '') {
    return { host: running, name: `emulator at ${running}`, close: () => Promise.resolve() };
  }
  const jar = findJar(kind.jar);
  return jar === undefined ? undefined : start(kind, jar);
}

function findJar(pattern: string): string | undefined {
  const gcloud = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'gcloud'))
    .find((file) => existsSync(file));
  if (gcloud === undefined) return undefined;
  const root = dirname(dirname(realpathSync(gcloud)));
  return globSync(join(root, pattern)).toSorted().at(-1);
}

async function start(kind: EmulatorKind, jar: string): Promise<Emulator | undefined> {
  const port = await freePort();
  const java = spawn('java', kind.args(jar, port), { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => {
    java.once('error', () => {
      resolve();
    });
    java.once('exit', () => {
      resolve();
    });
  });
  const end = (): void => void java.kill('SIGKILL');
  process.once('exit', end);
  const close = async (): Promise<void> => {
    process.off('exit', end);
    end();
    await ended;
  };
  const answered = await Promise.race([untilAnswered(`http://127.0.0.1:${port}/`), ended.then(() => false)]);
  if (answered) return { host: `127.0.0.1:${port}`, name: `emulator of gcloud (${jar.split('/').at(-1)})`, close };
  await close();
  return undefined;
}

async function untilAnswered(url: string): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
