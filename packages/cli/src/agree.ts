import { createInterface } from 'node:readline';

/** Asks in the terminal; anything but `y` or `yes`, and the end of the input, mean no. */
export function isAgreed(question: string, screen: NodeJS.WriteStream): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: screen });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(false));
    lines.question(`${question} [y/N] `, (said) => {
      resolve(/^\s*y(es)?\s*$/i.test(said));
      lines.close();
    });
  });
}
