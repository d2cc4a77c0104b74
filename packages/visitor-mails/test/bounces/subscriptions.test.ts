/** What comes to the address of Amazon SNS that is no event of the owner's. */
import { describe, expect, it } from 'vitest';
import * as certificates from '../../../../test/support/certificates.ts';
import { certificateUrl, openNewsletter, sesBounce, sns, subscription, topic } from './stage.ts';

const ada = 'ada@visitor.example';
const host = 'https://sns.eu-west-1.amazonaws.com';

describe('a subscription to a topic', () => {
  it('is confirmed at the address of Amazon SNS', async () => {
    const relay = await openNewsletter();
    expect((await relay.post('ses', subscription())).status).toBe(200);
    const [certificate, confirmation] = relay.asked;
    expect(certificate?.url.href).toBe(certificateUrl);
    expect(confirmation).toMatchObject({ method: 'GET', body: '' });
    expect(confirmation?.url.origin).toBe(host);
    expect(confirmation?.url.searchParams.get('Action')).toBe('ConfirmSubscription');
    expect(relay.told).toMatchObject([{ event: 'mail_events_subscribed', level: 'info', topic }]);
  });

  it.each([
    ['another host', `https://evil.example/?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['another region', `https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['a host that begins alike', `${host}.evil.example/?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['a user before another host', `${host}@evil.example/?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['a user', `https://a@sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['a dot behind the host', `${host}./?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['a port', `${host}:8443/?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['HTTP', `${host.replace('https', 'http')}/?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['another action', `${host}/?Action=DeleteTopic&TopicArn=${topic}`],
    ['another topic', `${host}/?Action=ConfirmSubscription&TopicArn=${topic}-of-eve`],
    ['a path', `${host}/x/?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['a machine nearby', `http://169.254.169.254/?Action=ConfirmSubscription&TopicArn=${topic}`],
    ['no address', 'x'],
  ])('is refused if it leads to %s', async (_, SubscribeURL) => {
    const relay = await openNewsletter();
    expect((await relay.post('ses', subscription({ SubscribeURL }))).status).toBe(401);
    expect(relay.asked.map(({ url }) => url.href)).toEqual([certificateUrl]);
    const reason = 'its confirmation leads to another address than that of Amazon SNS';
    expect(relay.told).toMatchObject([{ event: 'mail_events_refused', provider: 'ses', reason }]);
  });

  it('in China is confirmed at the address there', async () => {
    const chinese = 'arn:aws-cn:sns:cn-north-1:123456789012:bounces';
    const there = 'https://sns.cn-north-1.amazonaws.com.cn';
    const relay = await openNewsletter({ bounces: `\n  ses: {topics: ["${chinese}"]}` });
    const SubscribeURL = `${there}/?Action=ConfirmSubscription&TopicArn=${chinese}&Token=a`;
    const SigningCertURL = certificateUrl.replace(host, there);
    const request = subscription({ TopicArn: chinese, SubscribeURL, SigningCertURL });
    expect((await relay.post('ses', request)).status).toBe(200);
    expect(relay.told).toMatchObject([{ event: 'mail_events_subscribed', topic: chinese }]);
  });

  it('is repeated if Amazon does not answer it', async () => {
    let fails = true;
    const relay = await openNewsletter({
      http: async ({ url }) =>
        url.search !== '' && fails
          ? { status: 500, headers: {}, body: '' }
          : { status: 200, headers: {}, body: certificates.server.cert },
    });
    const { status, json } = await relay.post('ses', subscription());
    expect([status, json]).toEqual([503, { error: 'not now' }]);
    expect(relay.told).toMatchObject([
      {
        event: 'mail_events_unproven',
        level: 'warn',
        provider: 'ses',
        reason: 'Amazon SNS did not confirm the subscription',
      },
    ]);
    fails = false;
    expect((await relay.post('ses', subscription())).status).toBe(200);
  });

  it('is told of when it ends', async () => {
    const relay = await openNewsletter();
    const request = subscription({ Type: 'UnsubscribeConfirmation' });
    expect((await relay.post('ses', request)).status).toBe(200);
    expect(relay.asked).toHaveLength(1);
    expect(relay.told).toMatchObject([{ event: 'mail_events_unsubscribed', level: 'warn', topic }]);
  });

  it.each([
    ['event', (TopicArn: string) => sns(sesBounce(ada), { TopicArn })],
    ['subscription', (TopicArn: string) => subscription({ TopicArn })],
  ])('is refused for a topic of others, before anything is fetched: %s', async (_, request) => {
    const relay = await openNewsletter();
    const { status } = await relay.post('ses', request(`${topic}-of-eve`));
    expect(status).toBe(403);
    expect(relay.asked).toEqual([]);
    expect(await relay.isBlocked(ada)).toBe(false);
  });
});

describe('a certificate', () => {
  it.each([
    ['another host', 'https://evil.example/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem'],
    ['a host that begins alike', `${host}.evil.example/SimpleNotificationService-9c6465fa7f48f5ca.pem`],
    ['a user before another host', `${host}@evil.example/SimpleNotificationService-9c6465fa7f48f5ca.pem`],
    ['a dot behind the host', `${host}./SimpleNotificationService-9c6465fa7f48f5ca.pem`],
    ['HTTP', certificateUrl.replace('https', 'http')],
    ['another region', certificateUrl.replace('eu-west-1', 'us-east-1')],
    [
      'an answer of the API',
      `${host}/?Action=GetEndpointAttributes&x=/SimpleNotificationService-9c6465fa.pem`,
    ],
    ['a query', `${certificateUrl}?x.pem`],
    ['a folder', `${host}/SimpleNotificationService-x/9c6465fa7f48f5ca.pem`],
    ['another path', `${host}/x/../SimpleNotificationService-9c6465fa7f48f5ca.pem`],
  ])('is not fetched from %s', async (_, SigningCertURL) => {
    const relay = await openNewsletter();
    expect((await relay.post('ses', sns(sesBounce(ada), { SigningCertURL }))).status).toBe(401);
    expect(relay.asked).toEqual([]);
    expect(await relay.isBlocked(ada)).toBe(false);
  });

  it('is fetched once', async () => {
    const relay = await openNewsletter();
    for (const one of ['a', 'b', 'c']) await relay.post('ses', sns(sesBounce(`${one}@visitor.example`)));
    expect(relay.asked).toHaveLength(1);
    expect(relay.told.map(({ event }) => event)).toEqual(Array(3).fill('mail_bounced'));
  });

  it('is asked for 10 times a second at most, once a minute if that failed, and others keep no event out', async () => {
    let now = Date.now();
    const relay = await openNewsletter({
      effects: { now: () => now },
      http: async ({ url }) =>
        url.href === certificateUrl
          ? { status: 200, headers: {}, body: certificates.server.cert }
          : { status: 404, headers: {}, body: '' },
    });
    const madeUp = async () => {
      const statuses = new Set<number>();
      for (let index = 10; index < 30; index += 1) {
        const SigningCertURL = certificateUrl.replace('1136.pem', `11${index}.pem`);
        statuses.add((await relay.post('ses', sns(sesBounce(ada), { SigningCertURL }))).status);
      }
      expect([...statuses]).toEqual([503]);
    };
    await madeUp();
    expect(relay.asked).toHaveLength(10);
    expect(relay.told).toMatchObject([{ event: 'mail_events_unproven', level: 'warn', times: 1 }]);
    now += 1_000;
    await madeUp();
    expect(relay.asked).toHaveLength(20);
    now += 1_000;
    await madeUp();
    expect(relay.asked).toHaveLength(20);
    expect((await relay.post('ses', sns(sesBounce(ada)))).status).toBe(200);
    expect(await relay.isBlocked(ada)).toBe(true);
    now += 60_000;
    await madeUp();
    expect(relay.asked).toHaveLength(31);
  });

  it('of the latest eight is fetched once', async () => {
    const relay = await openNewsletter();
    const send = (index: number) =>
      relay.post(
        'ses',
        sns(sesBounce(ada), { SigningCertURL: certificateUrl.replace('1136.pem', `11${index}.pem`) }),
      );
    for (let index = 10; index < 19; index += 1) await send(index);
    for (let index = 18; index > 10; index -= 1) await send(index);
    expect(relay.asked).toHaveLength(9);
    await send(10);
    expect(relay.asked).toHaveLength(10);
    expect(relay.asked[0]).toMatchObject({ method: 'GET', body: '' });
  });

  it.each([
    ['an answer of failure', { status: 404, headers: {}, body: certificates.server.cert }],
    ['cut off', { status: 200, headers: {}, body: certificates.server.cert, isCut: true }],
    ['a redirect', { status: 302, headers: { location: 'https://evil.example/' }, body: '' }],
    ['no certificate', { status: 200, headers: {}, body: '<ErrorResponse/>' }],
  ])('that is %s signs nothing', async (_, answer) => {
    const relay = await openNewsletter({ http: async () => answer });
    expect((await relay.post('ses', sns(sesBounce(ada)))).status).toBe(503);
    expect(relay.asked).toHaveLength(1);
    expect(relay.told).toMatchObject([{ event: 'mail_events_unproven', provider: 'ses' }]);
    expect(await relay.isBlocked(ada)).toBe(false);
  });

  it.each([
    ['SignatureVersion', '0'],
    ['SignatureVersion', '3'],
    ['SignatureVersion', 'constructor'],
    ['SignatureVersion', ''],
    ['Signature', ''],
  ])('is not fetched for an event whose %s is %j', async (name, value) => {
    const relay = await openNewsletter();
    expect((await relay.post('ses', sns(sesBounce(ada), { [name]: value }))).status).toBe(401);
    expect(relay.asked).toEqual([]);
  });

  it('signs no member that is null', async () => {
    const relay = await openNewsletter();
    const { body } = sns(sesBounce(ada));
    const withNull = String(body).replace('{', '{"Subject":null,');
    expect((await relay.post('ses', { body: withNull })).status).toBe(200);
    expect(await relay.isBlocked(ada)).toBe(true);
  });
});
