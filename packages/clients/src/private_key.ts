import { createPrivateKey, type KeyObject } from 'node:crypto';

/** Reads a private key in PEM; `undefined` if it is none. */
export function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    // A variable on one line has \n for each line break.
    return createPrivateKey(pem.replaceAll('\\n', '\n').trim());
  } catch {
    return undefined;
  }
}
