import { ClientError } from '@form-relay/base/client_error';
import { weaknessOf } from '@form-relay/base/weak_secret';
import type { Config } from '@form-relay/core/config';
import { neededIn } from '@form-relay/core/environment';
import { type Diagnosis, failure, ok, warning } from '@form-relay/mail-dns';
import type { Setup } from '@form-relay/runtimes/setup';
import { BlockList, hashOf } from '@form-relay/visitor-mails/bounces/block_list';
import { ownersOf } from '@form-relay/visitor-mails/bounces/owners';
import { type ProviderInUse, providersIn } from '@form-relay/visitor-mails/bounces/providers/index';
import { formatPath } from '@form-relay/yaml/problem';
import { type Examine, storeOfCloudflare, timeoutMs } from './examination.ts';
import { formsOf, read } from './outputs.ts';
import type { World } from './world.ts';

/** Whether mails that come back are taken in, and whether one of the owner's addresses takes none. */
export const examineBounces: Examine = async (setup, world) => {
  const { loaded } = setup;
  const bounces = loaded?.shared.get('bounces');
  if (!loaded || !bounces) return [];
  const asked = providersIn(bounces);
  const looks = [ownAddresses(setup, world), routes(asked, setup, world)];
  return [...variables(loaded, asked, world), ...(await Promise.all(looks)).flat()];
};

function variables(config: Config, asked: readonly ProviderInUse[], { env }: World): readonly Diagnosis[] {
  const needed = neededIn(config).filter(({ path }) => path[0] === 'bounces');
  const unset = needed.filter(({ name }) => !read(env, name));
  const weak = asked.flatMap(({ variable }) => {
    const secret = variable && read(env, variable);
    const weakness = secret ? weaknessOf(secret) : undefined;
    return variable === undefined || weakness === undefined
      ? []
      : [warning(variable, weakness, 'Set a long random text, here and there: openssl rand -hex 32')];
  });
  return [
    ...unset.map(({ name, path }) =>
      failure(
        name,
        `not set; ${formatPath(path)} needs it, so no event is taken`,
        'Set it as docs/mail/bounces.md shows.',
      ),
    ),
    ...weak,
  ];
}

/** Reads the list of addresses that take no mail, and looks the owner's own ones up. */
async function ownAddresses(setup: Setup, world: World): Promise<readonly Diagnosis[]> {
  const { settings, loaded } = setup;
  const where = formsOf(setup)[0]?.provided.get('counters')?.place;
  if (!where || !loaded || settings.formTokenSecret === '') return [];
  if (where.kind === 'durable-object') return [storeOfCloudflare(where.name)];
  const store = await world.openCounts(where);
  try {
    const list = new BlockList(store, world.now);
    const { env, now } = world;
    const alerts = loaded.shared.get('alerts')?.form;
    const services = { env: (name: string) => read(env, name), now };
    const owners = ownersOf(loaded.forms, alerts, settings.mailFromAddress, services);
    const found: Diagnosis[] = [];
    for (const address of owners.keys()) {
      const entry = await list.find(hashOf(settings.formTokenSecret, address), timeoutMs);
      if (!entry) continue;
      const since = new Date(entry.at).toISOString().slice(0, 10);
      const what =
        entry.why === 'complaint' ? 'was marked as spam' : `came back${entry.code ? ` (${entry.code})` : ''}`;
      const remedy = `Correct the address or its mailbox, remove it from your mail provider's suppression list, then run relay mails unblock ${address}.`;
      found.push(failure(address, `a mail to it ${what} on ${since}: submissions may go nowhere`, remedy));
    }
    if (found.length > 0) return found;
    // Also where the owner has no address.
    await list.find('0'.repeat(20), timeoutMs);
    return [ok(where.name, 'the list of addresses that take no mail can be read; none of yours is on it')];
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const says = `${error.message}; events are answered 503, and mails go to everybody`;
    return [
      failure(
        where.name,
        says,
        'Correct counted_in or keep, or make it readable and writable for the relay.',
      ),
    ];
  } finally {
    await store.close();
  }
}

/** Posts to each provider's address without a signature, which the relay refuses. */
async function routes(
  asked: readonly ProviderInUse[],
  { settings: { publicUrl } }: Setup,
  world: World,
): Promise<readonly Diagnosis[]> {
  if (asked.length === 0) return [];
  if (publicUrl === undefined) {
    const remedy =
      'Set PUBLIC_URL to the address at which the internet reaches the relay, and run relay doctor again.';
    return [warning('PUBLIC_URL', 'not set, so the addresses for providers could not be tried', remedy)];
  }
  return Promise.all(asked.map(({ name }) => route(name, publicUrl, world)));
}

async function route(provider: string, publicUrl: string, { http }: World): Promise<Diagnosis> {
  const url = new URL(`${publicUrl}/api/v1/mail-events/${provider}`);
  try {
    const headers = { 'content-type': 'application/json' };
    const { status } = await http({ url, headers, body: '{}', timeoutMs });
    if (status === 401 || status === 403)
      return ok(
        url.href,
        `answers, and refuses an event without a signature; send yourself a test from ${provider}`,
      );
    if (status === 404)
      return failure(
        url.href,
        'is not there',
        'Restart the relay behind PUBLIC_URL, or give it this config.',
      );
    return failure(url.href, `answers ${status}`, 'See the log of the relay behind PUBLIC_URL.');
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return failure(url.href, error.message, 'Check PUBLIC_URL, and that this machine reaches it.');
  }
}
