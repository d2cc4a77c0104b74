import { gibberish } from './gibberish.ts';
import { links } from './links.ts';
import { blocklist, learned } from './lists.ts';
import { linkTrade, offers, scams } from './offers.ts';
import type { SignalType } from './signal.ts';
import { program, repeated } from './typed.ts';
import { massMail, misplaced, writing } from './written.ts';

/** All types of signals. To add one, add its file and a line here. */
export const signalTypes: readonly SignalType[] = [
  links,
  misplaced,
  writing,
  gibberish,
  offers,
  scams,
  linkTrade,
  massMail,
  repeated,
  program,
  blocklist,
  learned,
];
