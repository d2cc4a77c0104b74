/** A config with mistakes, in any YAML style: no message quotes a secret. */
import fc from 'fast-check';
import { dump } from 'js-yaml';
import { holds } from '../../../test/support/fuzz.ts';
import { parseConfig, warningsIn } from '../../../test/support/parse_config.ts';

/** A text that occurs nowhere else, with characters that YAML must quote, escape or fold. */
const secret = fc
  .string({ unit: fc.constantFrom(...'ab:#-{}[],&*!|>\'"%@` \\{{ "}} ä\n'), maxLength: 10 })
  .map((text) => `Zq7${text}hunter2${text}7qZ`);
const shown = ['hunter2', 'Zq7', '7qZ'];

type Tree = { [key: string]: Tree } | Tree[] | string | null;
const config = fc
  .tuple(secret, secret, secret, secret, secret, fc.constantFrom('', ' ', '{{ x }}', '{{ env "A" }}', '{{'))
  .map(([captcha, header, username, password, credentials, around]): { [key: string]: Tree } => ({
    forms: {
      contact: {
        captcha: { provider: 'turnstile', secret: around + captcha },
        fields: [{ name: 'email', type: 'email' }],
        outputs: [
          {
            type: 'http_post',
            url: `https://${encodeURIComponent(credentials)}:x@example.com/`,
            headers: { Authorization: `Bearer ${header}${around}`, 'X-Api-Key': header },
            mapping: '*',
          },
          {
            password: password + around,
            type: 'smtp',
            host: 'mail.test',
            username,
            to: 'a@example.com',
            mapping: '*',
          },
        ],
      },
    },
  }));

/**
 * Common mistakes in a document: a list instead of a text, a mistyped key, a missing value, an extra level.
 */
const mistakes = {
  wrap: (value: Tree): Tree => [value],
  deepen: (value: Tree): Tree => ({ value }),
  nothing: (): Tree => null,
  same: (value: Tree): Tree => value,
};
interface Mistake {
  readonly key: string;
  readonly how: keyof typeof mistakes;
  readonly named: (key: string) => string;
}
const mistake: fc.Arbitrary<Mistake> = fc.record({
  key: fc.constantFrom(
    ...'secret headers Authorization X-Api-Key username password provider type to fields outputs captcha'.split(
      ' ',
    ),
  ),
  how: fc.constantFrom(...(Object.keys(mistakes) as (keyof typeof mistakes)[])),
  named: fc.constantFrom<(key: string) => string>(
    (key) => key,
    (key) => key.slice(0, -1),
    (key) => key.toUpperCase(),
    (key) => `${key}s`,
    (key) => key.slice(0, 1) + key.slice(2),
  ),
});

function damage(tree: Tree, { key, how, named }: Mistake): Tree {
  if (Array.isArray(tree)) return tree.map((item) => damage(item, { key, how, named }));
  if (typeof tree !== 'object' || tree === null) return tree;
  const entries = Object.entries(tree).map(([one, value]): [string, Tree] =>
    one === key ? [named(one), mistakes[how](value)] : [one, damage(value, { key, how, named })],
  );
  return Object.fromEntries(entries);
}

const style = fc.record({
  indent: fc.constantFrom(1, 2, 4),
  flowLevel: fc.constantFrom(-1, 2, 3, 4, 5),
  lineWidth: fc.constantFrom(-1, 30, 80),
  quotingType: fc.constantFrom('"' as const, "'" as const),
  forceQuotes: fc.boolean(),
});

function expectHidden(yaml: string) {
  const result = parseConfig(yaml, 'webform.yaml');
  const said = result.ok ? warningsIn(result.value, yaml, 'webform.yaml') : result.error;
  for (const { path, message, excerpt } of said) {
    if (shown.some((part) => (path + message + excerpt).includes(part)))
      throw new Error(`${path}: ${message}\n${excerpt}\n\n${yaml}`);
  }
}

test('no problem quotes a secret, whatever the mistake and the style', () =>
  holds(50, [config, fc.array(mistake, { maxLength: 2 }), style], (sound, mistakes, style) => {
    expectHidden(dump(mistakes.reduce<Tree>(damage, sound), style));
  }));

test('nor if the config is truncated', async () => {
  // A truncated URL may begin with a password.
  const withoutCredentials = (yaml: string) => yaml.replace(/(https:\/\/)\S*?:x@/, '$1');
  await holds(50, [config, style, fc.double({ min: 0, max: 1, noNaN: true })], (sound, style, share) => {
    const yaml = withoutCredentials(dump(sound, style));
    expectHidden(yaml.slice(0, Math.floor(yaml.length * share)));
  });
});
