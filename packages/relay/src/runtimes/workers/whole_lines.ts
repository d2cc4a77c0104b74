/** Makes whole lines of what another process writes, so that those of several do not mix. */

/** No line is longer; what is gets an end. */
const mostCharacters = 1_048_576;

/** Gives the lines that are whole, together; `end` gives what a process left that was ended in the middle of one. */
export function createWholeLines(add: (lines: string) => void): {
  readonly write: (text: string) => void;
  readonly end: () => void;
} {
  let rest = '';
  return {
    write: (text) => {
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0) {
        add(rest + text.slice(0, end));
        rest = '';
      }
      rest += text.slice(end);
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
