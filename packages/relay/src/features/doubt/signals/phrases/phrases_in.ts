import type { Phrases } from '../phrases.ts';

/** The parts of a polite offer that nobody asked for. */
export const partsOfPitch = ['approach', 'goods', 'bait', 'ask'] as const;

/**
 * `scam`: what hardly anybody writes but who means no good. `hint`: what victims, patients and heirs write, too. `link`: of those who trade in links. `mass`: how to get no more
 * of it.
 */
export type Theme = (typeof partsOfPitch)[number] | 'scam' | 'hint' | 'link' | 'mass';

export type PhrasesIn = Phrases<Theme>;
