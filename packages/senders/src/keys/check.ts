/** The checks of `relay doctor` for the keys of servers, and for the store of responses. */
import { type Finding, failure, firstOf, groupBy, ok, places } from '@form-relay/base/finding';
import { examineStores } from '@form-relay/capacity/counters/check';
import type { CheckContext } from '@form-relay/core/command';
import { checkTimeoutMs } from '@form-relay/stores/index';
import { formatPath } from '@form-relay/yaml/problem';
import { answersFolder } from './answer_once.ts';
import { keyProblems } from './sender.ts';

/** Checks the keys of servers. The relay rejects weak keys. */
export async function probeKeys({ config, services }: CheckContext): Promise<readonly Finding[]> {
  const needed = [...(config?.forms.values() ?? [])].flatMap(({ id, provided }) =>
    (provided.get('keys')?.names ?? []).map((name, index) => ({
      name,
      place: formatPath(['forms', id, 'keys_env', index]),
    })),
  );
  const names = [...new Set(needed.map(({ name }) => name))];
  const problems = keyProblems(names, services.env);
  return groupBy(needed, ({ name }) => name).map((used): Finding => {
    const [{ name }] = used;
    if (!services.env(name))
      return failure(name, `not set; no server can use this key (${places(used)})`, makeKey);
    const says = problems.find((one) => one.name === name)?.reason;
    return says === undefined ? ok(name, `a key, for ${places(used)}`) : failure(name, says, makeKey);
  });
}

const makeKey = 'Create a key with relay keys new, and give it to the sending server.';

/** Checks whether the stores for responses work. */
export const probeAnswers = (context: CheckContext): Promise<readonly Finding[]> =>
  examineStores(context, {
    isUsedBy: ({ provided }) => provided.get('keys') !== undefined,
    look: async ({ where, store }, forms) => {
      for (const { id } of forms) await store.read(`${answersFolder(id)}/000`, checkTimeoutMs);
      return [ok(where.name, `the stored answers for ${firstOf(forms)} can be read`)];
    },
    ownKey: 'doctor-keys',
    consequence: (forms) => `requests to ${firstOf(forms)} with an Idempotency-Key are answered with 503`,
  });
