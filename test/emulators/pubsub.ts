import { startEmulator, type Emulator } from './emulator.ts';

export const startPubSubEmulator = (): Promise<Emulator | undefined> =>
  startEmulator({
    variable: 'PUBSUB_EMULATOR_HOST',
    jar: 'platform/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar',
    args: (jar, port) => ['-Xmx256m', '-jar', jar, '--host=127.0.0.1', `--port=${port}`],
  });
