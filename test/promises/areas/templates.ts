import { configSecret } from '../forms.ts';
import { type Area, type ProductPromise, promise } from '../promise.ts';

const from = 'SPEC: Templating';

/** A promise about how one fixed value of the form `templated` renders. */
const renders = (
  says: string,
  key: string,
  wanted: string | RegExp | ((mark: string) => string),
  values: (mark: string) => Readonly<Record<string, string>> = () => ({}),
): ProductPromise => ({
  says,
  from,
  forms: ['templated'],
  check: async (t) => {
    await t.arrives('templated', { name: t.mark, ...values(t.mark) });
    const came = t.posts()[0]?.values.find(([name]) => name === key)?.[1];
    const expected = typeof wanted === 'function' ? wanted(t.mark) : wanted;
    const isRight = typeof expected === 'string' ? came === expected : expected.test(came ?? '');
    t.must(isRight, `${key}=${expected}`, `${key}=${came}`);
  },
});

export const templates: Area = {
  promises: {
    field: renders('`.fields.<name>` is the submitted value.', 'field', (mark) => `<${mark}>`),
    absent: renders('An absent field renders empty.', 'absent', '<>'),
    form: renders('`.form.id` is the form’s name.', 'form', 'templated'),
    at: renders(
      '`.submitted_at` is the moment in UTC, as RFC 3339 writes it.',
      'at',
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
    ),
    trim: renders('`trim` takes white space off both ends.', 'trim', '<a b>', () => ({
      message: ' \t\na b\r\n ',
    })),
    lower: renders(
      '`lower` writes in lower case.',
      'lower',
      (mark) => `${mark}zoë`,
      (mark) => ({ name: `${mark}ZOË` }),
    ),
    upper: renders('`upper` writes in upper case.', 'upper', (mark) => mark.toUpperCase()),
    default: renders('`default` stands where a value is empty.', 'default', 'nobody', () => ({ email: '' })),
    default_unused: renders(
      '`default` does not stand where there is a value.',
      'default',
      'a@b.test',
      () => ({ email: 'a@b.test' }),
    ),
    env: renders('`env` is a variable of the environment.', 'known', configSecret),
    unknown_env: renders('A variable that there is not renders empty.', 'unknown', '<>'),
    environment: renders('`.env` renders empty: nobody lists the environment.', 'environment', '<>'),
    several: promise`\`join\` and \`values\` join all values; \`.fields.<name>\` joins them with a comma.
      (${from})`({ forms: ['templated'] }, async (t) => {
      await t.arrives('templated', [
        ['name', t.mark],
        ['name', 'b'],
      ]);
      const values = Object.fromEntries(t.posts()[0]?.values ?? []);
      t.is([values.joined, values.field], [`${t.mark}+b`, `<${t.mark},b>`]);
    }),
    unescaped: promise`What a template renders is inserted literally, without HTML escapes.
      (${from})`({ forms: ['templated'] }, async (t) => {
      const name = `${t.mark}<b>&"'`;
      await t.arrives('templated', { name });
      const came = t.posts()[0]?.values.find(([key]) => key === 'field')?.[1];
      t.is(came, `<${name}>`);
    }),
    submitted: promise`Braces in a submitted value are text: nobody reads the environment from outside.
      (Attacks: template injection)`({ forms: ['templated'] }, async (t) => {
      const braces = '{{ env "PROMISES_TOKEN" }} {{ .env }} $PROMISES_TOKEN <%= 7*7 %> #{7*7} $(id)';
      await t.arrives('templated', { name: `${t.mark}${braces}`, message: braces });
      const values = Object.fromEntries(t.posts()[0]?.values ?? []);
      t.is([values.field, values.braces], [`<${t.mark}${braces}>`, braces]);
    }),
  },
};
