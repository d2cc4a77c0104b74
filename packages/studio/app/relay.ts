/** The studio behind the page: a server that answers, and tells what happens. */

/** The server's answer. */
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
/** Where it keeps what is still true another day. */
export const remembered: Storage | undefined = localStorage;

/** Which form is shown, and how: a query. */
export const chosen = () => location.search;
/** `isReplaced`: Back does not lead to the address before. */
export const choose = (address: string, isReplaced = false) =>
  isReplaced ? history.replaceState(null, '', address) : history.pushState(null, '', address);
export const onChosen = (then: () => unknown) => addEventListener('popstate', then);

/** Begins anew: the server was restarted, perhaps with another version of this page. */
export const restart = () => location.reload();

/** The stream of the server's events. */
export interface Listening {
  readonly on: (type: string, then: (data: never) => void) => void;
  /** The connection is lost. It is tried again by itself, unless it `isRefused`. */
  readonly onLost: (then: (isRefused: boolean) => void) => void;
  readonly stop: () => void;
}

/** Streams the stories after version `after`, and every other event from now on. */
export function listen(after: string): Listening {
  const events = new EventSource(`/studio/events?after=${after}`);
  return {
    on: (type, then) => events.addEventListener(type, ({ data }) => then(JSON.parse(data) as never)),
    onLost: (then) => events.addEventListener('error', () => then(events.readyState === EventSource.CLOSED)),
    stop: () => events.close(),
  };
}
