import { deployed } from './compose/cloud.ts';
import { register } from './register.ts';

// All functions in one module; the build makes one of each, in the same way.
const { deps, guard } = deployed(process.env);
register(deps, guard);
