import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTerminal } from '../../../cli/test/terminal.ts';
import { newsletterConfig, openNewsletter, postmark, postmarkBounce, secrets } from './stage.ts';

it('shows the list as hashes, says of an address whether it is blocked, and unblocks it', async () => {
  const relay = await openNewsletter();
  writeFileSync(join(relay.folder, 'webform.yaml'), newsletterConfig(25, relay.folder));
  const terminal = await openTerminal();
  const run = (line: string) =>
    terminal.run(
      `FORM_TOKEN_SECRET=${secrets.FORM_TOKEN_SECRET} relay --config ${relay.folder}/webform.yaml mails ${line}`,
    );
  expect(await run('blocked')).toMatchObject({ stdout: 'no address is blocked\n' });
  await relay.post('postmark', postmark(postmarkBounce('ada@visitor.example')));
  const { stdout } = await run('blocked');
  expect(stdout).toMatch(/^[0-9a-f]{12} {2}since \S+Z: a mail came back\n1 address blocked\n$/);
  expect(JSON.parse((await run('blocked --json')).stdout)).toMatchObject({ blocked: true, why: 'hard' });
  expect((await run('blocked Ada@visitor.example')).stdout).toMatch(/^blocked since .*: a mail came back\n$/);
  expect(await run('blocked eve@visitor.example')).toMatchObject({ stdout: 'not blocked\n' });
  expect((await run('unblock ada@visitor.example')).stdout).toContain('it gets mails again');
  expect(await relay.isBlocked('ada@visitor.example')).toBe(false);
  expect((await run('unblock ada@visitor.example')).stdout).toContain('not blocked');
  expect((await run('unblock nobody')).stderr).toContain('expected an address');
  // The same report once more.
  await relay.post(
    'postmark',
    postmark(postmarkBounce('ada@visitor.example', { BouncedAt: '2020-11-26T10:00:00Z' })),
  );
  expect(await relay.isBlocked('ada@visitor.example')).toBe(false);
});
