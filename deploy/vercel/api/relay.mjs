import { fileURLToPath } from 'node:url';
import { createRelay } from 'form-relay';

const relay = createRelay({
  configFile: fileURLToPath(new URL('../webform.yaml', import.meta.url)),
  // Vercel may freeze the function after its answer.
  freezes: true,
});

export default {
  async fetch(request) {
    const peerAddress = request.headers.get('x-real-ip') ?? undefined;
    const answer = await relay.fetch(request, { peerAddress });
    await relay.flush();
    return answer;
  },
};
