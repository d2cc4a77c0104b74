/** Markup as a product answers it, read without a parser: the suite depends on no package but the relay's. */

interface Tag {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** The attribute of an `input`, the text of a `textarea`. */
  readonly value: string | undefined;
}

/** The control of a name in some markup, its value unescaped. */
export const controlIn = (markup: string, name: string): Tag | undefined =>
  tagsIn(markup).find((one) => one.attributes.name === name && /^(input|textarea|select)$/.test(one.tag));

/** Every start tag, in order. */
export const tagsIn = (markup: string): readonly Tag[] =>
  [
    ...markup.matchAll(
      /<([a-z][a-z0-9]*)((?:\s+[^\s=>/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))?)*)\s*\/?>/gi,
    ),
  ].map(({ 0: whole, 1: tag = '', 2: rest = '', index }) => {
    const pairs = [...rest.matchAll(/([^\s=>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g)].map(
      ([, name = '', double, single, bare]) =>
        [name.toLowerCase(), unescaped(double ?? single ?? bare ?? '')] as const,
    );
    const attributes: Tag['attributes'] = Object.assign(Object.create(null), Object.fromEntries(pairs));
    const after = markup.slice(index + whole.length);
    const text = unescaped(after.slice(0, after.search(/<\/textarea>|$/i)).replace(/^\n/, ''));
    return {
      tag: tag.toLowerCase(),
      attributes,
      value: tag.toLowerCase() === 'textarea' ? text : attributes.value,
    };
  });

/** The names of controls that are marked as wrong. */
export const wrongFieldsIn = (markup: string): readonly string[] =>
  tagsIn(markup).flatMap(({ attributes }) =>
    attributes['aria-invalid'] === 'true' && attributes.name ? [attributes.name] : [],
  );

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, code, hex, name) => {
    if (code !== undefined || hex !== undefined)
      return String.fromCodePoint(code === undefined ? Number.parseInt(hex, 16) : Number(code));
    return named[name] ?? whole;
  });
