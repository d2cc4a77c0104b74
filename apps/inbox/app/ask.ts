/** Requests to the inbox's server. Each failure is an `Error` whose message is meant for the user. */

export async function ask<T>(path: string, options: RequestInit = {}): Promise<T> {
  return (await fetchApi(path, options)).json() as Promise<T>;
}

export const post = <T>(path: string, body: unknown): Promise<T> => ask<T>(path, asJson(body));

export const asJson = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const goneWords = 'The inbox does not respond. Is it still running?';

export const addressOf = (id: string) => `/api/entries/${encodeURIComponent(id)}`;

export async function fetchApi(path: string, options: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw new Error(goneWords);
  }
  if (answer.ok) return answer;
  throw new Error(await refusalOf(answer));
}

async function refusalOf(answer: Response): Promise<string> {
  try {
    const { error } = await answer.json();
    if (typeof error === 'string') return sentence(error);
  } catch {
    // A proxy may have answered instead, without JSON.
  }
  return answer.status === 401
    ? 'You are not signed in. Open the inbox again with the address that it printed in the terminal.'
    : `The server answered with status ${answer.status}.`;
}

export const sentence = (words: string) => {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
};

export const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
