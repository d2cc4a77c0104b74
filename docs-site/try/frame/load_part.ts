/** Takes the place of the element's own load_part.ts: nothing is loaded here. */

import * as files from '../../../src/views/element/files/attach.ts';
import * as guard from '../../../src/views/guard/guard.ts';

export const loadPart = async (name: 'files' | 'guard') => (name === 'files' ? files : guard);
