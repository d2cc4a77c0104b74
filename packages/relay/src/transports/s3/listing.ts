/** A page of what S3's ListObjects finds. */
export interface Listing {
  readonly keys: readonly string[];
  readonly isLast: boolean;
}

/** Reads the XML. */
export function parseListing(xml: string): Listing {
  // Keys may hold what XML cannot: so S3 is asked to encode them, which some servers do not.
  const isEncoded = textIn(xml, 'EncodingType') === 'url';
  const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, text = '']) => unescaped(text));
  return {
    keys: isEncoded ? keys.map(decoded) : keys,
    isLast: textIn(xml, 'IsTruncated') !== 'true',
  };
}

function textIn(xml: string, element: string): string | undefined {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return text === undefined ? undefined : unescaped(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string) =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,4}));/gi, (all, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities[name] ?? all;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code > 0x10ffff ? all : String.fromCodePoint(code);
  });
