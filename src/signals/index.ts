import { links } from './links.ts';
import type { SignalType } from './signal.ts';

/** Every type of signal. Adding one is one file and one line here. */
export const signalTypes: readonly SignalType[] = [links];
