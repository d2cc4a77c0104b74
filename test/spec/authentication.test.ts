import { describe, expect, test } from 'vitest';
import { posted, tokenIn } from './read.ts';
import { httpSink, relayWith, smtpSink } from './stage.ts';

describe('Authentication', () => {
  test('callers need no credentials, and those that they send change nothing', async () => {
    const sink = await httpSink();
    const config = `forms: {contact: {fields: [{name: name}], outputs: [{type: http_post, url: "${sink.origin}", mapping: "*"}]}}`;
    const relay = await relayWith({ config });
    for (const headers of [{}, { authorization: 'Basic bm90OmtuYW9u', cookie: 'session=x' }] as Record<
      string,
      string
    >[]) {
      expect((await relay.submit('contact', [['name', 'Ann']], headers)).status).toBe(200);
      expect((await relay.get('/api/v1/form/contact', headers)).status).toBe(200);
      expect((await relay.get('/api/v1/token/contact', headers)).status).toBe(200);
    }
    for (const { headers } of sink.requests) {
      expect(headers.authorization).toBeUndefined();
      expect(headers.cookie).toBeUndefined();
    }
  });

  test.each(['http_post', 'crm_web2lead'])('%s carries the request headers of its config', async (type) => {
    const sink = await httpSink();
    const output = {
      type,
      url: sink.origin,
      static: { a: '1' },
      headers: { Authorization: 'Bearer {{ env "BEARER_TOKEN" }}', 'X-Api-Key': 'as-written' },
    };
    const config = JSON.stringify({ forms: { contact: { fields: [{ name: 'name' }], outputs: [output] } } });
    const relay = await relayWith({ config, env: { BEARER_TOKEN: 'b3arer' } });
    expect((await relay.submit('contact', [])).status).toBe(200);
    expect(sink.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer b3arer',
      'x-api-key': 'as-written',
    });
  });

  describe('smtp', () => {
    const outputFor = (port: number, credentials: object) =>
      JSON.stringify({
        forms: {
          contact: {
            fields: [{ name: 'name' }],
            outputs: [
              {
                type: 'smtp',
                host: '127.0.0.1',
                port,
                to: 'a@example.com',
                static: { a: '1' },
                ...credentials,
              },
            ],
          },
        },
      });
    const env = { SMTP_USER: 'ann', SMTP_PASSWORD: 's3cret' };
    const templated = { username: '{{ env "SMTP_USER" }}', password: '{{ env "SMTP_PASSWORD" }}' };

    test('authenticates with PLAIN when username is set', async () => {
      const sink = await smtpSink({ auth: { username: 'ann', password: 's3cret' } });
      const relay = await relayWith({ config: outputFor(sink.port, templated), env });
      expect((await relay.submit('contact', [])).status).toBe(200);
      expect(sink.mails[0]?.user).toBe('ann');
    });

    test('does not authenticate when username is not set', async () => {
      const sink = await smtpSink();
      const relay = await relayWith({ config: outputFor(sink.port, {}), env });
      expect((await relay.submit('contact', [])).status).toBe(200);
      expect(sink.mails[0]?.user).toBeFalsy();
    });

    test('a rejected password is a failed delivery, and the log shows no credentials', async () => {
      const sink = await smtpSink({ auth: { username: 'ann', password: 'another' } });
      const relay = await relayWith({ config: outputFor(sink.port, templated), env });
      expect((await relay.submit('contact', [])).status).toBe(500);
      expect(JSON.stringify(relay.logged)).not.toMatch(/s3cret|YW5u/);
    });
  });

  test('secrets reach outputs from the environment, and no log and no answer', async () => {
    const sink = await httpSink({ answer: () => ({ status: 500 }) });
    const output = {
      type: 'http_post',
      url: sink.origin,
      static: { key: '{{ env "API_KEY" }}' },
      headers: { Authorization: 'Bearer {{ env "API_KEY" }}' },
    };
    const config = JSON.stringify({ forms: { contact: { fields: [{ name: 'name' }], outputs: [output] } } });
    const relay = await relayWith({ config, env: { API_KEY: 'k3y' } });
    const answer = await relay.submit('contact', [['name', 'Ann']]);
    expect(posted(sink)).toEqual([[['key', 'k3y']]]);
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain('k3y');
    expect(JSON.stringify(relay.logged)).not.toMatch(/k3y|Ann/);
  });

  test('FORM_TOKEN_SECRET signs the token, and is never read from the config', async () => {
    const form = `{fields: [{name: name}], spam: {min_fill_seconds: 1}, outputs: [{type: http_post, url: "http://127.0.0.1:9/"}]}`;
    const config = `forms: {contact: ${form}}`;
    const tokens: string[] = [];
    for (const secret of ['one', 'one', 'two']) {
      const relay = await relayWith({
        config,
        env: { FORM_TOKEN_SECRET: secret },
        effects: { now: () => Date.UTC(2030, 0, 1) },
      });
      tokens.push(tokenIn((await relay.get('/api/v1/token/contact')).text));
    }
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[0]).not.toBe(tokens[2]);
    for (const key of ['form_token_secret', 'FORM_TOKEN_SECRET']) {
      const relay = await relayWith({ config: `${key}: one\n${config}` });
      expect((await relay.get('/api/v1/token/contact')).status).toBe(500);
    }
  });
});
