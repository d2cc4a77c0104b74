import type { Values } from '../../base/values.ts';

interface Field {
  readonly name: string;
  readonly options?: readonly { readonly value: string }[] | undefined;
  /** A `checkbox` has it. */
  readonly checked_value?: string | undefined;
}

/**
 * Chosen options as a browser sends them: each once, in the order of the config. Otherwise a stranger could repeat a word
 * a thousand times in someone's mail. Nothing else passes for a choice, though the field was one for a text
 * when the link of a mail was made that is clicked now.
 */
export function choicesIn(values: Values, fields: readonly Field[]): Values {
  const known = new Map(values);
  for (const { name, options, checked_value: ticked } of fields) {
    const offered = options?.map(({ value }) => value) ?? (ticked === undefined ? undefined : [ticked]);
    const sent = values.get(name);
    if (offered && sent)
      known.set(
        name,
        [...new Set(offered)].filter((value) => sent.includes(value)),
      );
  }
  return known;
}
