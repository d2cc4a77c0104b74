import type { HttpAnswer, HttpRequest } from '../../packages/core/src/services.ts';
import {
  httpSink,
  mailHeader,
  mailText,
  reasons,
  relayWith,
  type SinkAnswer,
  type SmtpSinkOptions,
  smtpSink,
  smtpTo,
  type TestRelay,
} from '../support/index.ts';

const fields = '[{name: name}, {name: email}, {name: "*~ &=+%"}]';
const configOf = (output: string) => `forms: {contact: {fields: ${fields}, outputs: [${output}]}}`;

const ann = Object.entries({ name: 'Ann', email: 'ann@b.example' });

/** `crm_web2lead` behaves the same: see test/contract/outputs.test.ts and test/promises. */
describe('http_post', () => {
  const type = 'http_post';

  /** Sends a submission through one output to a sink; `keys` follow the `url`. */
  async function post({
    keys = 'mapping: "*"',
    values = ann,
    answer = {},
    env = {},
  }: {
    keys?: string;
    values?: [string, string][];
    answer?: SinkAnswer;
    env?: Record<string, string>;
  }) {
    const sink = await httpSink({ answer: () => answer });
    const relay = await relayWith({
      config: configOf(`{type: ${type}, url: "${sink.origin}/hook?k=%C3%A9&l", ${keys}}`),
      env,
    });
    const { status } = await relay.submit('contact', values);
    return { status, relay, requests: sink.requests, request: sink.requests[0] };
  }

  test('posts the data byte for byte as application/x-www-form-urlencoded', async () => {
    const { request } = await post({
      keys: 'mapping: {b: name, a: "*~ &=+%", "ключ &": email}',
      values: [
        ['name', 'Ann Ö. + 👍'],
        ['*~ &=+%', '*-._~ &=+%;/?\r\n"\0'],
        ['email', 'a@b.example'],
      ],
    });
    expect(request?.body).toBe(
      'a=*-._%7E+%26%3D%2B%25%3B%2F%3F%0D%0A%22%00' +
        '&b=Ann+%C3%96.+%2B+%F0%9F%91%8D' +
        '&%D0%BA%D0%BB%D1%8E%D1%87+%26=a%40b.example',
    );
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(request?.headers['content-length']).toBe(String(request?.bytes.length));
  });

  test.each([300, 304, 306, 399, 400, 401, 404, 422, 429, 500, 599])('%i is an error', async (answer) => {
    const { status, relay, requests } = await post({
      answer: { status: answer, headers: { location: '/1' } },
      keys: 'retries: 0',
    });
    expect(status).toBe(500);
    expect(reasons(relay)).toEqual([`the server answered ${answer}`]);
    expect(requests).toHaveLength(1);
  });

  test.each(['Content-Type', 'content-type', 'CONTENT-TYPE', 'cOnTeNt-tYpE'])(
    'Content-Type cannot be overridden in the spelling %s',
    async (name) => {
      const keys = `headers: {${name}: application/json, X-Other: kept}`;
      const { request } = await post({ keys });
      const sent = request?.rawHeaders.filter((_, index, all) =>
        /^content-type$/i.test(all[index - (index % 2)] ?? ''),
      );
      expect(sent).toEqual(['content-type', 'application/x-www-form-urlencoded']);
      expect(request?.headers['x-other']).toBe('kept');
    },
  );

  test.each([
    ['controls become spaces', 'a\r\nX-Evil: 1\tb\0c', 'a X-Evil: 1 b c'],
    ['Latin-1 goes out as it is', 'Zoë ÿ', 'Zoë ÿ'],
    ['anything beyond goes out as UTF-8', 'Zoë 日本', Buffer.from('Zoë 日本').toString('latin1')],
    ['nothing is an empty header', '', ''],
  ])('a visitor cannot add a header: %s', async (_what, value, expected) => {
    const { status, request } = await post({
      keys: 'headers: {X-Name: "{{ .fields.name }}"}',
      values: [['name', value]],
    });
    expect(status).toBe(200);
    expect(request?.headers['x-name']).toBe(expected);
    expect(request?.headers).not.toHaveProperty('x-evil');
  });

  describe('redirects', () => {
    /** Posts to a server with an answer for each path; other paths answer 200. */
    async function follow(answers: Record<string, SinkAnswer>) {
      const other = await httpSink();
      const sink = await httpSink({
        answer: ({ url }) => {
          const { status, headers } = answers[url] ?? {};
          const location = String(headers?.location ?? '')
            .replace('$other', other.origin)
            .replace('$name', `http://localhost:${other.port}`);
          return { status, headers: location === '' ? {} : { location } };
        },
      });
      const keys = 'mapping: "*", headers: {Authorization: Bearer t, X-Api-Key: k, Cookie: c=1}';
      const relay = await relayWith({
        config: configOf(`{type: ${type}, url: "${sink.origin}/0", ${keys}}`),
      });
      const { status } = await relay.submit('contact', ann);
      return { status, relay, sink, other };
    }
    const to = (status: number, location: string): SinkAnswer => ({ status, headers: { location } });
    const warnings = ({ logged }: TestRelay) =>
      logged.flatMap(({ event, level, output, type: of, reason }) => {
        if (event !== 'delivery_warning') return [];
        expect([level, output, of]).toEqual(['warn', 0, type]);
        return [reason];
      });

    test.each([302, 303])('%i counts as delivered and is not followed', async (status) => {
      const { sink, ...result } = await follow({ '/0': to(status, '/1') });
      expect(result.status).toBe(200);
      expect(sink.requests.map(({ url }) => url)).toEqual(['/0']);
    });

    test.each([301, 307, 308])('%i resends the same POST and headers to the same origin', async (status) => {
      const { sink, ...result } = await follow({ '/0': to(status, 'a/../1?x=y') });
      expect(result.status).toBe(200);
      const [first, second, ...more] = sink.requests;
      expect(more).toEqual([]);
      expect(second).toMatchObject({ method: 'POST', url: '/1?x=y' });
      expect(second?.bytes).toEqual(first?.bytes);
      expect(second?.rawHeaders).toEqual(first?.rawHeaders);
      expect(second?.headers).toMatchObject({ authorization: 'Bearer t', 'x-api-key': 'k' });
    });

    test.each([301, 307, 308])('%i resends it to another origin without credentials', async (status) => {
      const { sink, other, ...result } = await follow({ '/0': to(status, '$other/1') });
      expect(result.status).toBe(200);
      expect(other.requests).toMatchObject([
        {
          method: 'POST',
          url: '/1',
          body: sink.requests[0]?.body,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        },
      ]);
      for (const name of ['authorization', 'x-api-key', 'cookie']) {
        expect(sink.requests[0]?.headers).toHaveProperty(name);
        expect(other.requests[0]?.headers).not.toHaveProperty(name);
      }
    });

    test('at most 3 times', async () => {
      const chain = (length: number) =>
        Object.fromEntries(Array.from({ length }, (_, hop) => [`/${hop}`, to(308, `/${hop + 1}`)]));
      const three = await follow(chain(3));
      expect(three.status).toBe(200);
      expect(three.sink.requests.map(({ url }) => url)).toEqual(['/0', '/1', '/2', '/3']);
      const four = await follow(chain(4));
      expect(four.status).toBe(500);
      expect(four.sink.requests).toHaveLength(4);
      expect(reasons(four.relay)).toEqual(['the server answered 308, a redirect after 3 others']);
    });

    test.each([
      [301, '', /without an address/],
      [307, '', /without an address/],
      [308, 'http://[', /without an address/],
      [307, 'mailto:a@b.example', /not http or https/],
      [308, 'file:///etc/passwd', /not http or https/],
      [301, 'ftp://files.example/x', /not http or https/],
      [301, '/0', /back to an earlier/],
      [308, '/0#again', /back to an earlier/],
    ])('a %i to "%s" is a failure: nobody accepted the submission', async (status, location, words) => {
      const { sink, relay, ...result } = await follow({ '/0': to(status, location) });
      expect(result.status).toBe(500);
      expect(sink.requests).toHaveLength(1);
      expect(reasons(relay)).toEqual([expect.stringMatching(words)]);
    });

    test.each([
      [302, ''],
      [303, 'http://['],
    ])('a %i to "%s" is a success, with a warning', async (status, location) => {
      const { relay, ...result } = await follow({ '/0': to(status, location) });
      expect(result.status).toBe(200);
      expect(warnings(relay)).toEqual([expect.stringMatching(/without a valid Location/)]);
    });

    test.each([
      ...['http://169.254.169.254/latest/meta-data/', 'http://2852039166/', 'http://0xa9.0xfe.0xa9.0xfe/'],
      ...['http://169.254.169.254./', 'http://[::ffff:169.254.169.254]/'],
      ...['http://[64:ff9b::169.254.169.254]/', 'http://[fe80::1]/', 'http://[fd00:ec2::254]/'],
    ])('a redirect to the link-local address %s is not followed', async (location) => {
      const { status, sink, relay } = await follow({ '/0': to(307, location) });
      expect(status).toBe(500);
      expect(sink.requests).toHaveLength(1);
      expect(reasons(relay)).toEqual([expect.stringMatching(/^the redirect goes to a link-local address/)]);
    });

    /** POSTs to `https://a.test/`, answered in turn. */
    async function stagedPosts(locations: readonly string[], tookMs = 0) {
      const posts: HttpRequest[] = [];
      let clockMs = Date.UTC(2030, 0, 1);
      const relay = await relayWith({
        config: configOf(`{type: ${type}, url: "https://a.test/", headers: {Authorization: t}}`),
        effects: {
          now: () => clockMs,
          http: async (post): Promise<HttpAnswer> => {
            const location = locations[posts.push(post) - 1];
            clockMs += tookMs;
            const status = location === undefined ? 200 : 307;
            return { status, headers: { location }, body: '', remoteAddress: `192.0.2.${posts.length}` };
          },
        },
      });
      return { status: (await relay.submit('contact', ann)).status, posts, relay };
    }

    test('from https to http, nothing is sent, even to the same host', async () => {
      const { status, posts, relay } = await stagedPosts(['http://a.test/']);
      expect(status).toBe(500);
      expect(posts.map(({ url }) => url.href)).toEqual(['https://a.test/']);
      expect(reasons(relay)).toEqual([expect.stringMatching(/from https to http.*nothing was sent there/)]);
    });

    test('credentials stay removed when a redirect returns to the first origin', async () => {
      const { status, posts } = await stagedPosts(['https://b.test/', 'https://a.test/2']);
      expect(status).toBe(200);
      expect(posts.map(({ url, headers }) => [url.href, headers.authorization])).toEqual([
        ['https://a.test/', 't'],
        ['https://b.test/', undefined],
        ['https://a.test/2', undefined],
      ]);
      // Each is checked against the server that redirected to it.
      expect(posts.map(({ redirectedFrom: from }) => from && [from.url.href, from.remoteAddress])).toEqual([
        undefined,
        ['https://a.test/', '192.0.2.1'],
        ['https://b.test/', '192.0.2.2'],
      ]);
    });

    test('all POSTs share one timeout', async () => {
      const { posts } = await stagedPosts(['/1', '/2'], 3_000);
      expect(posts.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 7_000, 4_000]);
    });
  });
});

describe('crm_web2lead', () => {
  test.each([
    ['Exception:common.exception.SalesforceGenericException', 1],
    ['true', 0],
    [undefined, 0],
  ])('Is-Processed: %s counts as delivered, with %i warnings in the log', async (isProcessed, warnings) => {
    const sink = await httpSink({
      answer: () => ({ headers: isProcessed === undefined ? {} : { 'Is-Processed': isProcessed } }),
    });
    const relay = await relayWith({ config: configOf(`{type: crm_web2lead, url: "${sink.origin}"}`) });
    expect((await relay.submit('contact', ann)).status).toBe(200);
    const warned = relay.logged.filter(
      ({ level, event }) => level === 'warn' && event === 'delivery_warning',
    );
    expect(warned.map(({ reason }) => reason)).toEqual(
      Array(warnings).fill('the CRM answered that it rejected the lead (Is-Processed: Exception)'),
    );
  });
});

describe('smtp', () => {
  interface MailOptions {
    readonly sink?: SmtpSinkOptions;
    /** The output's keys besides type, host, port and to. */
    readonly keys?: string;
    readonly host?: string;
    /** The port in the config; by default, the sink's own. */
    readonly port?: string;
    readonly to?: string;
    readonly values?: [string, string][];
    readonly env?: Record<string, string>;
  }

  /** Sends a submission through one output to a sink, whatever host the config names. */
  async function mail(options: MailOptions = {}) {
    const { keys = 'mapping: "*"', host = 'mail.test', to = 'team@b.example', values = ann, env } = options;
    const sink = await smtpSink(options.sink);
    const port = options.port ?? `port: ${sink.port}`;
    const relay = await relayWith({
      config: configOf(`{type: smtp, host: ${host}, ${port === '' ? '' : `${port},`} to: ${to}, ${keys}}`),
      env,
      effects: { smtp: smtpTo(sink.port) },
    });
    const { status } = await relay.submit('contact', values);
    return { status, relay, mails: sink.mails, raw: sink.mails[0]?.raw ?? '', reasons: reasons(relay) };
  }

  test('a value cannot write a line that looks like another field', async () => {
    const { raw } = await mail({ values: [['name', 'Ann\r\nadmin=yes\nroot=1']] });
    expect(mailText(raw)).toBe('name=Ann\n\tadmin=yes\n\troot=1\n');
  });

  describe('port', () => {
    test.each<[port: string, tls: SmtpSinkOptions['tls'], secure: boolean]>([
      ['', 'starttls', true],
      ['', 'none', false],
      ['port: "587"', 'starttls', true],
      ['port: 587', 'none', false],
      ['port: "465"', 'implicit', true],
      ['port: 2465, tls: implicit', 'implicit', true],
      ['port: 25', 'starttls', true],
      ['port: "25"', 'none', false],
      ['port: 2525', 'starttls', true],
      ['port: 2525', 'none', false],
    ])('{%s} and a server with TLS %s', async (port, tls, secure) => {
      const { status, mails } = await mail({ port, sink: { tls } });
      expect(status).toBe(200);
      expect(mails).toMatchObject([{ secure }]);
    });

    test('465 never speaks without TLS', async () => {
      const { status, mails } = await mail({
        port: 'port: 465',
        sink: { tls: 'starttls' },
        keys: 'timeout: 1s',
      });
      expect(status).toBe(500);
      expect(mails).toEqual([]);
    });
  });

  describe('authentication', () => {
    const auth = { username: 'relay', password: 'pass' };
    const safe = { tls: 'starttls', auth } as const;
    const keys = 'username: \'{{ env "SMTP_USER" }}\', password: \'{{ env "SMTP_PASS" }}\'';
    const env = { SMTP_USER: 'relay', SMTP_PASS: 'pass' };

    test('uses an empty password if none is configured', async () => {
      const open = { username: 'relay', password: '' };
      const { status, mails } = await mail({
        sink: { tls: 'starttls', auth: open },
        keys: 'username: relay',
      });
      expect(status).toBe(200);
      expect(mails).toMatchObject([{ user: 'relay' }]);
    });

    test.each<[what: string, options: MailOptions, reason: RegExp]>([
      ['no TLS on the way to another host', { sink: { auth } }, /password is not sent unencrypted/],
      ['a wrong password', { sink: safe, env: { ...env, SMTP_PASS: 'x' } }, /^authentication refused: 535/],
      [
        'a username that renders empty',
        { sink: { auth }, host: 'localhost', env: {} },
        /^`username` rendered empty/,
      ],
      [
        'a password that renders empty',
        { sink: safe, env: { ...env, SMTP_PASS: '' } },
        /^`password` rendered empty/,
      ],
      ['a server without AUTH', { sink: { tls: 'starttls' } }, /offers no AUTH PLAIN/],
      ['no PLAIN', { sink: { ...safe, auth: { ...auth, methods: ['LOGIN'] } } }, /offers no AUTH PLAIN/],
    ])('fails the delivery with %s, and says why', async (_what, options, reason) => {
      const sent = await mail({ keys, env, ...options });
      expect(sent.status).toBe(500);
      expect(sent.mails).toEqual([]);
      expect(sent.reasons).toEqual([expect.stringMatching(reason)]);
      expect(JSON.stringify(sent.relay.logged)).not.toContain('pass"');
    });
  });

  describe('sender', () => {
    test.each([
      ['mail.test', 'relay@mail.test'],
      ['localhost', 'relay@localhost'],
      ['127.0.0.1', 'relay@[127.0.0.1]'],
    ])('From and envelope sender are relay@<host> (%s)', async (host, sender) => {
      const { mails, raw } = await mail({ host });
      expect(mails[0]?.envelope.from).toBe(sender);
      expect(mailHeader(raw, 'From')?.replaceAll(/[<>]/g, '')).toBe(sender);
    });

    test('a host beyond ASCII is written in ASCII everywhere', async () => {
      const { raw } = await mail({ host: 'bücher.test' });
      expect(mailHeader(raw, 'Message-ID')).toMatch(/@xn--bcher-kva\.test>$/);
      expect(raw).toMatch(/^[\0-\x7f]*$/);
    });
  });

  describe('recipients', () => {
    test.each([
      ['an environment variable that is not set', `'{{ env "NOBODY" }}, a@b.example'`, /rendered empty/],
      ['one of several that is no address', `'{{ env "TYPO" }}, a@b.example'`, /did not render to addresses/],
    ])('in the config are all reached, or the delivery fails: %s', async (_what, to, reason) => {
      const sent = await mail({ to, values: ann, env: { TYPO: 'x@y.example, sales team' } });
      expect([sent.status, sent.mails]).toEqual([500, []]);
      expect(sent.reasons).toEqual([expect.stringMatching(reason)]);
    });

    test.each<[to: string, values: [string, string][], recipients: string[]]>([
      ['a@b.example', ann, ['a@b.example']],
      ['"a@b.example, c@d.example"', ann, ['a@b.example', 'c@d.example']],
      [`'{{ env "TEAM" }}'`, ann, ['x@y.example', 'z@y.example']],
      ['"{{ .fields.email }}"', ann, ['ann@b.example']],
      ['"a@b.example,{{ .fields.email }}"', ann, ['a@b.example', 'ann@b.example']],
      ['"{{ lower .fields.name }}@b.example"', ann, ['ann@b.example']],
      ['"a@b.example,{{ .fields.email }}"', [], ['a@b.example']],
      ['"a@b.example,{{ .fields.name }}@b.example"', [['name', 'v@x.example,w']], ['a@b.example']],
      // The owner knows how the company's own server treats it.
      ['"sales%b.example@a.example, a!b@c.example"', ann, ['sales%b.example@a.example', 'a!b@c.example']],
    ])('to: %s with %j reaches %j', async (to, values, recipients) => {
      const { status, mails, raw } = await mail({ to, values, env: { TEAM: 'x@y.example , z@y.example,' } });
      expect(status).toBe(200);
      expect(mails[0]?.envelope.to).toEqual(recipients);
      expect(mailHeader(raw, 'To')).toBe(recipients.join(', '));
      expect(mailHeader(raw, 'Bcc')).toBeUndefined();
    });

    // Some servers read it as a route to another host.
    test.each([
      'victim%stranger.example',
      'stranger.example!victim',
      '"victim@stranger.example"',
      '@firm.example:victim@stranger.example,x',
      'victim@stranger.example',
    ])('a mailbox named by a visitor leads nowhere else: %s', async (name) => {
      const to = '"a@b.example, {{ .fields.name }}@firm.example"';
      const { status, mails } = await mail({ to, values: [['name', name]] });
      expect(status).toBe(200);
      expect(mails[0]?.envelope.to).toEqual(['a@b.example']);
    });

    test.each([
      [`'{{ env "NOT_SET" }}'`, '', 'a part of `to` rendered empty; is its environment variable set?'],
      [`'{{ env "WRONG" }}'`, '', 'a part of `to` did not render to addresses like name@example.com'],
      [
        `a@b.example, cc: '{{ env "NOT_SET" }}'`,
        '',
        'a part of `cc` rendered empty; is its environment variable set?',
      ],
      [
        `a@b.example, bcc: '{{ env "WRONG" }}'`,
        '',
        'a part of `bcc` did not render to addresses like name@example.com',
      ],
    ])('to: %s with "%s" reaches nobody, so the delivery fails: %s', async (to, email, reason) => {
      const env = { WRONG: 'x@y.example, nobody' };
      const { status, mails, reasons } = await mail({ to, values: [['email', email]], env });
      expect(status).toBe(500);
      expect(mails).toEqual([]);
      expect(reasons.at(-1)).toBe(reason);
    });
  });

  describe('subject and Reply-To', () => {
    test.each<[keys: string, values: [string, string][], subject: string]>([
      ['subject: "{{ upper .fields.name }} wrote to {{ .form.id }}"', ann, 'ANN wrote to contact'],
      ['mapping: "*"', ann, 'Form submission: contact'],
      ['subject: "Hi {{ .fields.name }}"', [['name', 'Ann\r\nBcc: v@x.test\tx\0']], 'Hi Ann Bcc: v@x.test x'],
    ])('subject: {%s} with %j', async (keys, values, subject) => {
      const { status, raw } = await mail({ keys, values });
      expect(status).toBe(200);
      expect(mailHeader(raw, 'Subject')).toBe(subject);
      expect(mailHeader(raw, 'Bcc')).toBeUndefined();
    });

    test.each<[email: string, header: string | undefined]>([
      ['ann@b.example', 'ann@b.example'],
      [' ann@b.example ', 'ann@b.example'],
      ['', undefined],
    ])('reply_to is exactly one address, or absent if the field is empty: "%s"', async (email, header) => {
      const { status, raw } = await mail({
        keys: 'reply_to: "{{ .fields.email }}"',
        values: [['email', email]],
      });
      expect(status).toBe(200);
      expect(mailHeader(raw, 'Reply-To')).toBe(header);
      expect(mailHeader(raw, 'Bcc')).toBeUndefined();
    });
  });
});
