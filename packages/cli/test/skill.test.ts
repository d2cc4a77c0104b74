import { ownCommands } from '@form-relay/core/command';
import { openTerminal } from './terminal.ts';

test('the skill is true: each of its commands runs, in order, and every command is mentioned', async () => {
  const { run } = await openTerminal({
    env: { SMTP_USERNAME: 'a', SMTP_PASSWORD: 'q7Zk2mVr9sLd4kTz8wBnX5cF' },
  });
  const { stdout: skill } = await run('relay skill');
  expect(skill).toMatch(/^---\nname: form-relay\ndescription: .{50,1000}\n---\n\n# /);
  const lines = [...skill.matchAll(/```sh\n(.*)\n```/g)].map(([, line = '']) => line);
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    const { code, stderr } = await run(line);
    expect([line, code, stderr.match(/error: .*/)]).toEqual([line, 0, null]);
  }
  // Commands in running text would wait, connect or send.
  const named = [...skill.matchAll(/`relay ([a-z]+)/g)].map(([, name = '']) => name);
  expect([...new Set(named)].toSorted()).toEqual([...ownCommands].toSorted());
});
