#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Compiling is most of what a short command does. The cache is ours alone, and does without where it cannot be written.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/ces-evals', import.meta.url)));

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // `| head -1` has seen enough: the work goes on, and its exit code stays.
    if (error.code !== 'EPIPE') throw error;
  });
}

const { createProgram, report } = await import('./program.ts');
try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
