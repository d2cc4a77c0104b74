import { akismet } from './akismet.ts';
import { httpbl } from './httpbl.ts';
import { links } from './links.ts';
import { rspamd } from './rspamd.ts';
import type { SignalType } from './signal.ts';
import { stopforumspam } from './stopforumspam.ts';

/** Every type of signal. Adding one is one file and one line here. */
export const signalTypes: readonly SignalType[] = [links, stopforumspam, httpbl, akismet, rspamd];
