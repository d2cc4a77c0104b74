import { resolve } from 'node:path';
import { createRelay } from 'form-relay';

const relay = createRelay({
  // Netlify deploys the files of included_files in netlify.toml next to the function.
  configFile: resolve('webform.yaml'),
  // Netlify may freeze the function after its answer.
  freezes: true,
});

export default async (request, { ip: peerAddress }) => {
  const answer = await relay.fetch(request, { peerAddress });
  await relay.flush();
  return answer;
};

export const config = { path: ['/api/v1/*', '/f/*', '/healthz', '/readyz'] };
