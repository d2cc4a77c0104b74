export interface WrongField {
  readonly field: string;
  readonly message: string;
  /** The place in the JSON: `/topics/1`. */
  readonly pointer: string;
}

/**
 * Sends the values as JSON. Returns the invalid fields, or an empty list if the relay accepted the values.
 * Throws if the request failed.
 */
export async function send(values: object): Promise<readonly WrongField[]> {
  const answer = await fetch('https://forms.example.com/api/v1/submit/contact', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/problem+json' },
    body: JSON.stringify(values),
  });
  const { errors = [], detail } = await answer.json();
  if (!answer.ok && errors.length === 0) throw new Error(detail);
  return errors;
}
