/** Samples by name and labels as written, such as `up{job="a"}`. */
export function samplesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** The samples that are not 0 and whose name has this prefix. */
export const counted = (text: string, prefix: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...samplesIn(text)]
      .filter(([name, value]) => name.startsWith(`form_relay_${prefix}`) && value !== 0)
      .map(([name, value]) => [name.slice('form_relay_'.length), value]),
  );
