// `npm run docs`: the manual as a site in scripts/manual-site/dist, with "Try it" in it. Ends with 1 where a link of it leads nowhere.
import { fileURLToPath } from 'node:url';
import { buildTryIt } from '../packages/studio/try/build.ts';
import { shellStep, step } from './progress.mjs';

const site = fileURLToPath(new URL('./manual-site/', import.meta.url));
const index = new URL('./manual-site/dist/index.html', import.meta.url);

await shellStep("Installing the site's generator", 'npm ci --no-audit --no-fund --loglevel=error', site);
await shellStep('Writing the pages', 'npm run --silent build', site);
await step('Building "Try it"', () => buildTryIt(`${site}dist/try`));
process.stdout.write(await shellStep('Following the links', 'node check.js', site));
process.stdout.write(`Open ${index}\n`);
