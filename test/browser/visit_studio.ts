/** Browsers of an owner who has opened the studio's address before. */
import type { Page } from 'playwright-core';
import type { Stage } from '../studio/stage.ts';

/** Gives the page's browser the cookie that the studio's key brings. */
export async function signIn(page: Page, { origin, cookie }: Stage): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  // Cookies ignore ports: those of earlier tests would be sent, too.
  await page.context().clearCookies({ name: /^relay_studio_/ });
  await page.context().addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Strict' }]);
}

/** @param path Such as `/?tab=build`. */
export async function visit(page: Page, at: Stage, path = '/'): Promise<void> {
  await signIn(page, at);
  await page.goto(at.origin + path);
}
