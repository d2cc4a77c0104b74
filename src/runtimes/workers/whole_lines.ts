/** Makes whole lines of what another process writes, so that those of several do not mix. */

/** No line is longer; what is gets an end. */
const mostCharacters = 1_048_576;

/** Gives each line with its end; `end` gives what a process left that was ended in the middle of one. */
export function createWholeLines(add: (line: string) => void): {
  readonly write: (text: string) => void;
  readonly end: () => void;
} {
  let rest = '';
  return {
    write: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) add(`${line}\n`);
      if (rest.length <= mostCharacters) return;
      add(`${rest}\n`);
      rest = '';
    },
    end: () => {
      if (rest !== '') add(`${rest}\n`);
      rest = '';
    },
  };
}
