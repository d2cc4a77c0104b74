/** Takes the place of the element's own load_part.ts: nothing is loaded here. */

import * as files from '@form-relay/element/element/files/attach';
import * as guard from '@form-relay/element/guard/guard';

export const loadPart = async (name: 'files' | 'guard') => (name === 'files' ? files : guard);
