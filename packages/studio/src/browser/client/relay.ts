/** The studio behind the page: a server that answers, and tells what happens. */

/** What it said. */
export interface Answer {
  readonly ok: boolean;
  readonly text: string;
}

/** Asks it for something, or has it do something; nothing comes where it has stopped. */
export async function ask(path: string, body?: string | URLSearchParams): Promise<Answer | undefined> {
  try {
    const answer = await fetch(path, body === undefined ? {} : { method: 'POST', body });
    return { ok: answer.ok, text: await answer.text() };
  } catch {
    return undefined;
  }
}

/** Where the page keeps what it would lose when it is loaded again. */
export const stored: Storage | undefined = sessionStorage;

/** Which form is shown, and how: a query. */
export const chosen = () => location.search;
export const choose = (address: string) => history.pushState(null, '', address);
export const onChosen = (then: () => unknown) => addEventListener('popstate', then);

/** What happens there. */
export interface Listening {
  readonly on: (type: string, then: (data: never) => void) => void;
  /** The connection is lost; it is tried again by itself. */
  readonly onLost: (then: () => void) => void;
  readonly stop: () => void;
}

/** Of stories those that come after version `after`, and all else that happens from now on. */
export function listen(after: string): Listening {
  const events = new EventSource(`/studio/events?after=${after}`);
  return {
    on: (type, then) => events.addEventListener(type, ({ data }) => then(JSON.parse(data) as never)),
    onLost: (then) => events.addEventListener('error', then),
    stop: () => events.close(),
  };
}
