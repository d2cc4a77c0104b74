import { akismet } from './akismet.ts';
import { behaviour } from './behaviour.ts';
import { blocklist } from './blocklist.ts';
import { disposable } from './disposable.ts';
import { httpbl } from './httpbl.ts';
import { links } from './links.ts';
import { program } from './program.ts';
import { repeated } from './repeated.ts';
import { rspamd } from './rspamd.ts';
import type { SignalType } from './signal.ts';
import { stopforumspam } from './stopforumspam.ts';

/** Every type of signal. Adding one is one file and one line here. */
export const signalTypes: readonly SignalType[] = [
  links,
  repeated,
  program,
  behaviour,
  disposable,
  blocklist,
  stopforumspam,
  httpbl,
  akismet,
  rspamd,
];
