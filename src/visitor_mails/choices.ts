import type { Values } from '../values.ts';

interface Field {
  readonly name: string;
  readonly type: string;
  readonly options?: readonly { readonly value: string }[] | undefined;
}

/**
 * What was chosen, each option once and in the order of the config, as a browser sends it. Else a stranger could have
 * whoever gets the mail read the same word a thousand times.
 */
export function withChoicesOnce(values: Values, fields: readonly Field[]): Values {
  const once = new Map(values);
  for (const { name, type, options } of fields) {
    const sent = values.get(name);
    if (!sent || sent.length < 2) continue;
    const chosen = new Set(sent);
    if (options)
      once.set(
        name,
        options.map(({ value }) => value).filter((value) => chosen.has(value)),
      );
    else if (type === 'checkbox') once.set(name, [...chosen]);
  }
  return once;
}
