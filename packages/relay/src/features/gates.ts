import type { Gate } from './gate.ts';
import { origin } from './origins.ts';
import { rateLimit } from './rate_limit.ts';

/** Every gate, in their order. Adding one is one file and one line here. */
export const gates: readonly Gate[] = [origin, rateLimit];
