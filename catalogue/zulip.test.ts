import { httpDestination, outputContract } from 'form-relay/testing';
import { test } from 'vitest';

const promises = outputContract({
  type: 'zulip',
  destination: httpDestination({
    keys: (port) => ({
      url: `http://127.0.0.1:${port}/`,
      bot: 'bot@example.org',
      key: '{{ env "ZULIP_KEY" }}',
      channel: 'leads',
    }),
  }),
  env: { ZULIP_KEY: 'AbC.dEf' },
});
test.each([...promises])('$name', ({ run }) => run());
