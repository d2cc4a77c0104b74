/** Takes the place of the element's own load_part.ts: nothing is loaded here. */

import * as computed from '@form-relay/element/computed/attach';
import * as files from '@form-relay/element/element/files/attach';
import * as guard from '@form-relay/element/guard/guard';
import * as ranking from '@form-relay/element/parts/ranking';
import * as signature from '@form-relay/element/parts/signature';
import * as tel from '@form-relay/element/parts/tel';
import * as range from '@form-relay/element/range/attach';
import * as repeat from '@form-relay/element/repeat/attach';

const parts = { files, guard, range, repeat, computed, tel, ranking, signature };

export const loadPart = async (name: keyof typeof parts) => parts[name];
