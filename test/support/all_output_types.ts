/** Read before every test file: `parseConfig`, which waits for nothing, knows only what was read (src/outputs/index.ts). */
import { loadAllOutputTypes } from '../../src/outputs/index.ts';

await loadAllOutputTypes();
