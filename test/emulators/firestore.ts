import { startEmulator, type Emulator } from './emulator.ts';

const MAIN = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';

export const startFirestoreEmulator = (): Promise<Emulator | undefined> =>
  startEmulator({
    variable: 'FIRESTORE_EMULATOR_HOST',
    jar: 'platform/cloud-firestore-emulator/cloud-firestore-emulator.jar',
    args: (jar, port) => [
      '-Duser.language=en',
      '-Xmx512m',
      '-cp',
      jar,
      MAIN,
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
    ],
  });
