// `npm run docs`: builds the manual as a site in scripts/manual-site/dist. Exits with 1 if a link is broken.
import { fileURLToPath } from 'node:url';
import { shellStep } from './progress.mjs';

const site = fileURLToPath(new URL('./manual-site/', import.meta.url));
const index = new URL('./manual-site/dist/index.html', import.meta.url);

await shellStep("Installing the site's generator", 'npm ci --no-audit --no-fund --loglevel=error', site);
await shellStep('Writing the pages', 'npm run --silent build', site);
process.stdout.write(await shellStep('Following the links', 'node check.js', site));
process.stdout.write(`Open ${index}\n`);
