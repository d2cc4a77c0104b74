import { blocklist } from './blocklist.ts';
import { gibberish } from './gibberish.ts';
import { learned } from './learned.ts';
import { links } from './links.ts';
import { massMail } from './mass_mail.ts';
import { misplaced } from './misplaced.ts';
import { linkTrade, offers } from './offers.ts';
import { program } from './program.ts';
import { repeated } from './repeated.ts';
import { scams } from './scams.ts';
import type { SignalType } from './signal.ts';
import { writing } from './writing.ts';

/** Every type of signal. Adding one is one file and one line here. */
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
