/** Submissions of servers, which send a key. */
import type { RequestHead } from '../base/http.ts';
import type { Form, Servers } from '../form.ts';

/** The key as it was sent, right or wrong, and the form's way for servers. */
export interface FromServer {
  readonly servers: Servers;
  readonly key: string;
}

/**
 * The key in a request to a form that has keys (RFC 6750, 2.1). Other schemes than Bearer are for what stands in front of the
 * relay, and mean nothing here.
 */
export function fromServer(
  form: Pick<Form, 'stages'> | undefined,
  { headers: { authorization } }: Pick<RequestHead, 'headers'>,
): FromServer | undefined {
  const servers = form?.stages.servers;
  if (!servers || authorization === undefined) return undefined;
  const found = /^bearer(?:$| +(.*)$)/is.exec(authorization);
  return found ? { servers, key: found[1] ?? '' } : undefined;
}

const madeFor = new WeakMap<Form, Form>();

/** The form as servers send it: JSON is welcome and is the answer, and nothing of it is for browsers. Made once for each form. */
export function asServersSendIt(form: Form, servers: Servers): Form {
  const made = madeFor.get(form) ?? makeForServers(form, servers);
  madeFor.set(form, made);
  return made;
}

function makeForServers(form: Form, { stages, answers }: Servers): Form {
  const variants = [...form.variants].map(
    ([tag, one]) => [tag, asServersSendIt(one, one.stages.servers as Servers)] as const,
  );
  return {
    ...form,
    isForServers: true,
    stages,
    answers,
    variants: new Map(variants),
    bodies: new Set([...form.bodies, 'json']),
    redirect: undefined,
  };
}
