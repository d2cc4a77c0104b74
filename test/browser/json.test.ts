/** docs/json.md and examples/react in a real browser: scripts of another site send JSON and FormData. */
import { blocksOf, read } from '../docs/papers.ts';
import { compile, react } from './compile.ts';
import { describeInBrowser, documentWith, openPage, stage } from './stage.ts';

const send = read('examples/react/send.ts');
const formData = blocksOf('docs/json.md').find(({ language }) => language === 'js')?.text ?? '';
const documented = 'https://forms.example.com/api/v1/submit/contact';

const forms = `
  contact:
    bodies: [json, multipart]
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [sales, press]}
      - {name: seats, type: number}
      - {name: consent, type: checkbox}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

/** The part of React Hook Form's types that the example uses. */
const types = `declare module 'react-hook-form' {
  interface FieldError { readonly message?: string }
  type Key<T> = keyof T & string;
  export function useForm<T extends object>(): {
    register(name: Key<T>, options?: { valueAsNumber?: boolean }): object;
    handleSubmit(onValid: (values: T) => unknown): (event?: unknown) => Promise<void>;
    setError(name: Key<T> | 'root', error: { message?: string }): void;
    readonly formState: {
      readonly errors: { readonly [K in Key<T> | 'root']?: FieldError };
      readonly isSubmitting: boolean;
      readonly isSubmitSuccessful: boolean;
    };
  };
}
`;

test('the example for React Hook Form compiles', () => {
  const { said } = compile({
    'send.ts': send,
    'HookForm.tsx': read('examples/react/HookForm.tsx'),
    'react.d.ts': react,
    'types.d.ts': types,
  });
  expect(said).toBe('');
});

let compiled: string | undefined;

/** `send` as JavaScript, compiled once. */
function sendInJs(): string {
  compiled ??= compile({ 'send.ts': send }).js('send.js');
  return compiled;
}

describeInBrowser('a page of another site', () => {
  const open = async (env: Record<string, string> = {}) => {
    const at = await stage({ forms, env });
    const script = sendInJs().replace(documented, `${at.origin}/api/v1/submit/contact`);
    at.serve('/send.js', script, { 'content-type': 'text/javascript' });
    const form = '<form><input name="name" value="Ada"><input name="email" value="ada@example.org"></form>';
    at.serve('/page', documentWith(form));
    const page = await openPage({ complains: /blocked by CORS policy|ERR_FAILED/ });
    const methods: string[] = [];
    page.on('request', (request) => {
      if (request.url().startsWith(at.origin)) methods.push(request.method());
    });
    await page.goto(`${at.host}/page`);
    const run = (values: object) =>
      page.evaluate(`import('/send.js').then(({ send }) => send(${JSON.stringify(values)}))`);
    return { at, page, methods, run };
  };

  test('sends JSON as examples/react does, and learns what is wrong', async () => {
    const { at, run } = await open();
    expect(
      await run({ name: '', email: 'ada', topics: ['sales', 'cats'], seats: null, consent: false }),
    ).toMatchObject([
      { field: 'name', pointer: '/name' },
      { field: 'email', pointer: '/email' },
      { field: 'topics', pointer: '/topics/1' },
    ]);
    expect(await run({ name: 'Ada', email: 'a@b.test', topics: ['sales'], seats: 2, consent: true })).toEqual(
      [],
    );
    expect(at.bodies).toEqual(['consent=on&email=a@b.test&name=Ada&seats=2&topics=sales']);
    await expect(run({ name: { first: 'Ada' } })).rejects.toThrow('found something else at /name');
  });

  test('sends FormData as docs/json.md shows', async () => {
    const { at, page } = await open();
    const code = formData.replace(documented, `${at.origin}/api/v1/submit/contact`);
    const answer = await page.evaluate(`(async () => { ${code}; return answer.json(); })()`);
    expect(answer).toMatchObject({ message: 'ok' });
    expect(at.bodies).toEqual(['email=ada@example.org&name=Ada']);
  });

  test('may send what a form needs, and nothing else', async () => {
    const { at, page } = await open();
    const attempt = (method: string, headers: object) =>
      page.evaluate(
        `fetch('${at.origin}/api/v1/submit/contact', ${JSON.stringify({ method, headers, body: '{}' })})
          .then(({ status }) => status, () => 'refused')`,
      );
    expect(await attempt('POST', { 'Content-Type': 'application/json' })).toBe(422);
    for (const header of ['X-Other', 'Authorization', 'Content-Encoding'])
      expect([header, await attempt('POST', { [header]: 'x' })]).toEqual([header, 'refused']);
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect([method, await attempt(method, {})]).toEqual([method, 'refused']);
  });
});
