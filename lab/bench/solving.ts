/** How long a browser solves on one core, with all else that it does on the same: `npx tsx lab/bench/solving.ts`. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { rolldown } from 'rolldown';
import { hardness, makeChallenge } from '../../packages/relay/src/features/proof/challenge.ts';
import { middle, pinThisProcess } from './process.ts';

const puzzles = 101;

async function main(): Promise<void> {
  // What it starts inherits this.
  if (!pinThisProcess()) console.log('NOT pinned: taskset is missing.');
  const build = await rolldown({
    input: fileURLToPath(new URL('../../packages/element/src/guard/solve.ts', import.meta.url)),
  });
  const { output } = await build.generate({ format: 'iife', name: 'guard', minify: true });
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  const page = await browser.newPage();
  await page.addScriptTag({ content: output[0].code });
  for (const where of ['in a worker', 'in the page']) {
    if (where === 'in the page') await page.evaluate('delete window.Worker');
    for (const [name, most] of Object.entries(hardness)) {
      const times: number[] = [];
      for (let count = 0; count < puzzles; count += 1) {
        const puzzle = { nonce: randomBytes(12).toString('hex'), expiresAt: Date.now() + 7_200_000, most };
        const challenge = makeChallenge('a5'.repeat(32), 'contact', puzzle);
        times.push(await page.evaluate(timed, challenge));
      }
      const [median, late] = [middle(times), times.sort((a, b) => a - b)[Math.floor(puzzles * 0.95)]];
      console.log(
        `${name} (up to ${most}), ${where}: median ${median.toFixed(0)} ms, 95 % within ${late?.toFixed(0)} ms`,
      );
    }
  }
  await browser.close();
}

async function timed(challenge: object): Promise<number> {
  const { guard } = globalThis as unknown as { guard: { solve(challenge: object): Promise<string> } };
  const startedAt = performance.now();
  if ((await guard.solve(challenge)) === '') throw new Error('it must be solved');
  return performance.now() - startedAt;
}

await main();
