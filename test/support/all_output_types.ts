/** Read before every test file: `parseConfig`, which waits for nothing, knows only what was read (src/config/late_parts.ts). */
import { loadAllParts } from '../../src/config/late_parts.ts';

await loadAllParts();
