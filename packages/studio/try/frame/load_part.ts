/** Takes the place of the element's own load_part.ts: nothing is loaded here. */

import * as computed from '@form-relay/element/computed/attach';
import * as files from '@form-relay/element/element/files/attach';
import * as guard from '@form-relay/element/guard/guard';
import * as range from '@form-relay/element/range/attach';
import * as repeat from '@form-relay/element/repeat/attach';

const parts = { files, guard, range, repeat, computed };

export const loadPart = async (name: keyof typeof parts) => parts[name];
